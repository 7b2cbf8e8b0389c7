"""docs/how-to/extend.md works as written: its files and lines in a copy of the package, with its tests."""

from __future__ import annotations

import ast
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from operator import attrgetter, methodcaller
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.catalogue import KERNELS, SAMPLERS
from kernelspec.errors import NotAvailableYet, PlanError
from kernelspec.kernels.kernel import Kernel, Verdict
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.leaves.coordinatewise import Cauchy
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.stationary import Coordinatewise
from kernelspec.laws.fourier import FourierLaw
from kernelspec.maps.saved_kinds import class_of
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import Samples
from kernelspec.testing.assertions import assert_unbiased

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = (ROOT / "docs" / "how-to" / "extend.md").read_text(encoding="utf-8")
STEP = re.compile(
    r"^\*\*`(?P<path>[^`]+)`\*\*(?:, before `(?P<before>[^`\n]+)`)?\n\n```py\n(?P<text>.*?)^```$", re.M | re.S
)

NAMES = ("hyperbolic_secant", "maxwell", "cube")
"""What the document adds to the language."""


class Step(NamedTuple):
    """A file of the document, or a line that is put before another one of a catalogue."""

    path: str
    before: str | None
    text: str


def steps() -> Iterator[Step]:
    return (Step(found["path"], found["before"], found["text"]) for found in STEP.finditer(DOCUMENT))


def extend(copy: Path) -> None:
    """The steps of the document, to the letter."""
    for path, before, text in steps():
        target = copy / path
        if before is None:
            assert not target.exists(), f"{path} is there already"
            target.write_text(text, encoding="utf-8")
            continue
        lines = target.read_text(encoding="utf-8").splitlines(keepends=True)
        places = [i for i, line in enumerate(lines) if line.lstrip().startswith(before)]
        assert len(places) == 1, f"{path} has {len(places)} lines that begin with {before}"
        target.write_text("".join([*lines[: places[0]], text, *lines[places[0] :]]), encoding="utf-8")


OF_THEIR_OWN = [step.path for step in steps() if step.path.startswith("tests/")]
CATALOGUES = [
    "tests/kernels/test_leaf.py",
    "tests/distributions/test_distribution.py",
    "tests/activations/test_activation.py",
]
STRATEGIES = ["tests/strategies/test_strategies.py"]
BORDERS = ["tests/test_borders.py", "tests/analysis/test_statements.py"]


def copy_compiled_loops(copy: Path) -> None:
    """Where they are kept elsewhere they would be sought under the name of the copy: then they go beside its sources.

    To compile them anew takes most of a minute.
    """
    from kernelspec.numerics.phasor_kernels import project_block

    kept = Path(project_block.stats.cache_path)
    beside = copy / "kernelspec" / "numerics" / "__pycache__"
    if kept.name != beside.name:
        shutil.copytree(kept, beside, dirs_exist_ok=True)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package and its tests, compiled loops included, with what the document adds."""
    folder = tmp_path_factory.mktemp("extended")
    for name in ("kernelspec", "grammars"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=shutil.ignore_patterns("__pycache__", "*.npz", "data"))
    shutil.copy2(ROOT / "pyproject.toml", folder)
    copy_compiled_loops(folder)
    extend(folder)
    return folder


def run(copy: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    # bytecode and compiled loops of the copy go with it
    for name in ("PYTEST_XDIST_WORKER", "PYTHONPYCACHEPREFIX", "NUMBA_CACHE_DIR"):
        environment.pop(name, None)
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
    return done.stdout


def test_every_thing_is_one_file_one_line_and_one_test_file() -> None:
    found = list(steps())
    assert len(found) == DOCUMENT.count("```py\n")
    for file, line, test in zip(found[::3], found[1::3], found[2::3], strict=True):
        assert (file.before, test.before) == (None, None)
        assert file.path.startswith("kernelspec/")
        assert line.path.startswith("kernelspec/")
        assert line.before
        assert line.text.count("\n") == 1 or len(ast.parse(f"{{{line.text}}}").body) == 1  # one entry
        assert test.path.startswith("tests/")


@pytest.mark.long
def test_what_was_added_is_known_and_right(copy: Path) -> None:
    """Its own tests, the catalogues, strategies and borders, and random specs with it, in one run."""
    families = "tests/test_every_family.py"
    files = [*OF_THEIR_OWN, *CATALOGUES, *STRATEGIES, *BORDERS, families]
    elsewhere = "few_enough or may_come_comes or all_activations_are_known or other_rooms_name_none"
    chosen = f"not ({elsewhere}) and (not test_every_family or {' or '.join(NAMES)})"
    said = run(copy, "pytest", "-q", "-rA", "-p", "no:cacheprovider", *files, "-k", chosen)
    passed = re.findall(r"^PASSED (tests/\S+::.*)$", said, re.M)
    for file in files:
        assert any(name.startswith(f"{file}::") for name in passed), file
    assert all(any(name.startswith(families) and added in name for name in passed) for added in NAMES)
    listed = run(copy, "kernelspec", "catalogue")
    assert all(f" {name}" in listed for name in NAMES)


def wheel(plugin: Path, folder: Path) -> Path:
    """The wheel of a plug-in of single modules, as a build backend would make it: none is needed, and no network."""
    project = tomllib.loads((plugin / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    stem = f"{project['name'].replace('-', '_')}-{project['version']}"
    ((group, points),) = project["entry-points"].items()
    information = {
        "METADATA": f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "entry_points.txt": "\n".join([f"[{group}]", *(f"{name} = {home}" for name, home in points.items()), ""]),
    }
    made = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(made, "w") as archive:
        for module in sorted(plugin.glob("*.py")):
            archive.write(module, module.name)
        for name, text in information.items():
            archive.writestr(f"{stem}.dist-info/{name}", text)
        record = f"{stem}.dist-info/RECORD"
        archive.writestr(record, "".join(f"{name},,\n" for name in [*archive.namelist(), record]))
    return made


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with examples/plugin installed into it."""
    folder = tmp_path_factory.mktemp("plugin")
    made, target = wheel(ROOT / "examples" / "plugin", folder), folder / "site"
    options = ["--no-index", "--no-deps", "--disable-pip-version-check", "--target", str(target)]
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", *options, str(made)], check=True)
    return target


def with_plugin(installed: Path, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(installed), str(ROOT)])}
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


SPEC = "0.5*hyperbolic_secant(scale=2)[a]*laplace()[b] + 0.5*hyperbolic_secant(scale=3)[a, b]"

EVERYTHING = f"""
import sys
import numpy as np
import kernelspec as ks
from kernelspec.testing.assertions import assert_unbiased

facts = ks.analyze({SPEC!r}, columns=["a", "b"])
assert "kernelspec_sech" in sys.modules
assert facts.verdict.positive_definite == "proved" and facts.k0 == 1
assert "Feller 1971" in facts.report() and "sech" in facts.latex()
line = ks.analyze("hyperbolic_secant(scale=2)", dim=1)
assert line.second_moment == ks.analyze("gaussian(scale=2)", dim=1).second_moment
omega = np.array([[0.3], [2.0]])
np.testing.assert_allclose(line.spectral_density_at(omega).ravel(), 1 / np.cosh(np.pi * omega.ravel()), rtol=1e-12)
assert "sech(pi*omega" in str(line.spectral_density)
assert line.masses.total_variation == 1
assert line.bound(0.1, 0.01, 2.0).samples > 0
difference = ks.analyze("hyperbolic_secant(scale=1) - 2*hyperbolic_secant(scale=2)", dim=1)
assert difference.verdict.positive_definite == "disproved", difference.verdict
rows = np.random.default_rng(0).standard_normal((5, 2))
assert_unbiased("hyperbolic_secant(scale=2)*gaussian()", rows, budget=1e-6, n_maps=100, n_features=64)
estimator = ks.KernelFeatures("hyperbolic_secant(scale=2)", n_features=4096, random_state=0)
features = estimator.fit(rows).transform(rows)
exact = ks.parse("hyperbolic_secant(scale=2)").gram(rows)
assert np.abs(features @ features.T - exact).max() < 0.15
fmap = ks.compile("hyperbolic_secant(scale=2)", dim=2, n_features=32, seed=1)
fmap.save(sys.argv[1])
"""


@pytest.mark.long
def test_a_plug_in_has_all_that_a_built_in_kernel_has(installed: Path, tmp_path: Path) -> None:
    """Facts, proofs, features; and a saved map that only processes with the plug-in can read."""
    kept = tmp_path / "map.npz"
    done = with_plugin(installed, EVERYTHING, str(kept))
    assert done.returncode == 0, done.stderr
    read = f"import kernelspec as ks, numpy as np; print(ks.load_map({str(kept)!r}).transform(np.ones((2, 2))).shape)"
    assert with_plugin(installed, read).stdout == "(2, 32)\n"
    refused = with_plugin(tmp_path, read)
    assert refused.returncode == 1
    assert "needs the kernel 'hyperbolic_secant' of the package 'kernelspec-sech'" in refused.stderr


@pytest.mark.slow
def test_the_command_line_knows_a_plug_in(installed: Path) -> None:
    script = "import sys; from kernelspec.cli import main; sys.argv[1:] = {}; main(prog_name='kernelspec')"
    checked = with_plugin(installed, script.format(["check", "-e", "hyperbolic_secant(scale=2)"]))
    assert (checked.returncode, checked.stderr) == (0, "")
    listed = with_plugin(installed, script.format(["catalogue", "hyperbolic_secant"]))
    assert "Feller 1971, section XV.2" in listed.stdout


@pytest.mark.slow
def test_known_names_load_no_plug_in(installed: Path) -> None:
    done = with_plugin(
        installed,
        "import sys, kernelspec as ks; ks.analyze('gaussian() + dual(relu, sphere())'); "
        "print({'kernelspec_sech', 'importlib.metadata'} & set(sys.modules))",
    )
    assert done.stdout == "set()\n"


@pytest.mark.slow
def test_an_installed_plug_in_that_is_broken_is_named_and_left_out(installed: Path, tmp_path: Path) -> None:
    broken = shutil.copytree(installed, tmp_path / "site")
    (broken / "kernelspec_sech.py").write_text("import a_module_that_is_not_there", encoding="utf-8")
    done = with_plugin(broken, "import kernelspec as ks; ks.parse('gausian()')")
    assert (
        "PluginWarning: the plug-in 'hyperbolic_secant' of the package 'kernelspec-sech' cannot be loaded"
        in done.stderr
    )
    assert "No module named 'a_module_that_is_not_there'" in done.stderr
    assert "unknown kernel 'gausian'; did you mean 'gaussian'?" in done.stderr


@pytest.fixture
def registry() -> Iterator[None]:
    before = [dict(catalogue._registered) for catalogue in (KERNELS, SAMPLERS)]
    yield
    for catalogue, registered in zip((KERNELS, SAMPLERS), before, strict=True):
        catalogue._registered.clear()
        catalogue._registered.update(registered)


@dataclass(frozen=True, kw_only=True)
class Doubtful(Cauchy):
    """A kernel whose author made a mistake."""

    name: ClassVar[str] = "doubtful"

    def draw_coordinates(self, stream: Any, shape: tuple[int, int]) -> np.ndarray:
        return np.ones(shape) / 0 if shape[1] > 1 else self.not_there  # type: ignore[attr-defined,no-any-return]


@pytest.mark.usefixtures("registry")
def test_a_failure_in_a_plug_in_says_whose_it_is() -> None:
    ks.register_kernel(Doubtful)
    assert ks.register_kernel(Doubtful) is Doubtful  # again, as a notebook does
    assert ks.analyze("doubtful()", dim=2).verdict.positive_definite == "proved"
    message = "the plug-in package 'tests' failed in Doubtful.draw_coordinates.*AttributeError.*not a bug in kernelspec"
    with pytest.raises(ks.PluginError, match=message):
        ks.compile("doubtful() + gaussian()", dim=1)


@dataclass(frozen=True, kw_only=True)
class Narrow(Cauchy):
    """A kernel that has values at small distances only."""

    name: ClassVar[str] = "narrow"

    def numbers(self, pairs: Any) -> Any:
        values = super().numbers(pairs)
        if values.min() < 1e-9:
            raise ZeroDivisionError("far")
        return values


@pytest.mark.usefixtures("registry")
def test_a_failure_on_new_rows_says_whose_it_is() -> None:
    ks.register_kernel(Narrow)
    X = np.random.default_rng(0).standard_normal((60, 2))
    fmap = ks.compile("narrow()", dim=2, data=X, method="nystrom", n_features=8)
    assert fmap.transform(X).shape == (60, 8)
    model = ks.KernelRegressor("narrow()", n_features=8, solver="features").fit(X, X[:, 0])
    gaussian_process = ks.to_sklearn("narrow()")
    far = np.full((1, 2), 1e6)
    for ask in (fmap.transform, fmap.residual, model.predict, partial(gaussian_process, X)):
        with pytest.raises(ks.PluginError, match=r"the plug-in package 'tests' failed in Narrow\.numbers"):
            ask(far)


@dataclass(frozen=True, kw_only=True)
class Late(Cauchy):
    """A kernel whose density fails, which only the facts ask for."""

    name: ClassVar[str] = "late"

    def factor_density_expression(self, frequency: Any) -> Any:
        raise ZeroDivisionError(f"no density at {frequency}")


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize(
    "ask", [attrgetter("spectral_density"), *map(methodcaller, ("report", "to_dict", "latex"))], ids=str
)
def test_a_failure_in_a_fact_says_whose_it_is(ask: Callable[[ks.Facts], Any]) -> None:
    ks.register_kernel(Late)
    with pytest.raises(ks.PluginError, match=r"the plug-in package 'tests' failed in Late\.factor_density_expression"):
        ask(ks.analyze("late()", dim=1))


def _registered_with(**methods: Callable[..., Any]) -> None:
    """A kernel "wrong" like cauchy(), with other methods."""
    words = {"name": "wrong", "__module__": __name__, "__annotations__": {"name": ClassVar[str]}}
    ks.register_kernel(dataclass(frozen=True, kw_only=True)(type("Wrong", (Cauchy,), words | methods)))


def _features() -> Any:
    return ks.compile("wrong()", dim=2, n_features=16).transform(np.zeros((3, 2)))


def _values() -> Any:
    return ks.parse("wrong()").gram(np.eye(4))


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize(
    ("method", "replacement", "ask", "message"),
    [
        ("factor", lambda self, lag: np.ones(3), _values, r"the shape \(4, 4\) has the shape \(3,\)"),
        ("factor", lambda self, lag: 1j / (1 + lag**2), _values, "UFuncTypeError"),
        ("factor", lambda self, lag: np.nan * lag, _values, r"k\(x, y\) is NaN"),
        ("draw_coordinates", lambda self, stream, shape: np.ones(shape).tolist(), _features, "no attribute 'shape'"),
        ("draw_coordinates", lambda self, stream, shape: np.ones(shape[0]), _features, r"the shape \(8,\)"),
        ("draw_coordinates", lambda self, stream, shape: np.full(shape, np.nan), _features, "a frequency is NaN"),
        ("factor_expression", lambda self, lag: None, lambda: ks.analyze("wrong()", dim=1).report(), "SympifyError"),
    ],
)
def test_a_wrong_value_of_a_plug_in_says_whose_it_is(
    method: str, replacement: Callable[..., Any], ask: Callable[[], Any], message: str
) -> None:
    _registered_with(**{method: replacement})
    with pytest.raises(ks.PluginError, match=message) as caught:
        ask()
    assert "Wrong of the plug-in package 'tests'" in str(caught.value)


@dataclass(frozen=True, kw_only=True)
class Doubled(Leaf):
    """exp(cos∠(x, y) − 1), without samples."""

    name: ClassVar[str] = "doubled"
    formula: ClassVar[str] = "exp(cos∠(x, y) − 1)"
    frequencies: ClassVar[str] = "none"
    reference: ClassVar[str] = "these tests"

    def numbers(self, pairs: Any) -> Any:
        return np.exp(pairs.cosine() - 1)

    def expression(self, pairs: Any) -> Any:
        import sympy

        return sympy.exp(pairs.cosine() - 1)

    def verdict(self) -> Verdict:
        return Verdict("proved", ("doubled: said here",))


@pytest.mark.usefixtures("registry")
def test_a_kernel_without_samples_has_values_and_says_what_it_lacks() -> None:
    ks.register_kernel(Doubled)
    lacks = "doubled\\(\\) has no samples: the plug-in package 'tests' registers no law for it with own_law"
    assert re.search(f"not known \\({lacks}", ks.analyze("doubled()", dim=2).report())
    with pytest.raises(NotAvailableYet, match=lacks):
        ks.compile("doubled()", dim=2)


@pytest.mark.usefixtures("registry")
def test_a_class_that_does_not_fit_is_refused_with_the_reason() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Bare(Coordinatewise):
        name: ClassVar[str] = "bare"

    @dataclass(frozen=True, kw_only=True)
    class Plain(Cauchy):
        name: ClassVar[str] = "plain"
        width: float = 2.0

    for cls, reason in [
        (Bare, "it does not define .*factor"),
        (Plain, r"its field 'width' must be declared as an argument, with real\(\)"),
        (int, "it does not derive from kernelspec.kernels.leaf.Leaf"),
        (type("Mutable", (Cauchy,), {"name": "gaussian"}), "kernelspec already has 'gaussian':"),
        (type("Unspeakable", (Cauchy,), {"name": "two words"}), "is not a word"),
        (type("Form", (Cauchy,), {"name": "stretch"}), "kernelspec already has 'stretch':"),
    ]:
        with pytest.raises(ks.PluginError, match=f"the package '.*' registers .* as a kernel, but .*{reason}"):
            ks.register_kernel(cls)
    ks.register_kernel(Doubtful)
    with pytest.raises(ks.PluginError, match="the package 'tests' already registered 'doubtful'"):
        ks.register_kernel(type("Doubtful2", (Doubtful,), {}))


@dataclass(frozen=True)
class Mirrored(FourierLaw):
    """Frequencies with the other sign: as good, since the law is symmetric."""

    name: ClassVar[str] = "mirrored"
    words: ClassVar[str] = "mirrored frequencies, for gaussian()"

    @classmethod
    def of_kernel(cls, kernel: Kernel) -> Mirrored | None:
        return cls(kernel) if isinstance(kernel, Gaussian) else None

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        return super().draw(stream.child(1), n, columns)


@pytest.mark.usefixtures("registry")
def test_a_sampler_is_a_method_like_others(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"method must be one of .*, not 'mirrored'"):
        ks.compile("gaussian()", dim=2, method="mirrored")
    ks.register_sampler(Mirrored)
    rows = np.random.default_rng(0).standard_normal((5, 2))
    assert_unbiased("gaussian()*laplace()", rows, method="mirrored", n_features=32, n_maps=100, budget=1e-6)
    fmap = ks.compile("gaussian() + laplace()", dim=2, n_features=64, method="mirrored")
    assert any(isinstance(stratum.law, Mirrored) for stratum in fmap.plan.strata)
    assert Mirrored.words in fmap.explain()
    fmap.save(tmp_path / "map.npz")
    np.testing.assert_array_equal(ks.load_map(tmp_path / "map.npz").transform(rows), fmap.transform(rows))
    with pytest.raises(PlanError, match="no part of this kernel supports method='mirrored': mirrored freq"):
        ks.compile("laplace()", dim=2, method="mirrored")
    with pytest.raises(ks.PluginError, match="kernelspec already has 'binning':"):
        ks.register_sampler(type("Binning", (Mirrored,), {"name": "binning"}))


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize(
    ("method", "replacement", "message"),
    [
        (
            "draw",
            lambda self, stream, n, columns: Mirrored.draw(self, stream, n // 2, columns),
            "32 samples and gave 16",
        ),
        ("moments", lambda self, pairs: (1, 1), r"moments\(\) gives \(1, 1\)"),
        ("of_kernel", classmethod(lambda cls, kernel: True), r"of_kernel\(\) gives True"),
    ],
)
def test_a_wrong_value_of_a_sampler_says_whose_it_is(method: str, replacement: Any, message: str) -> None:
    words = {"name": "wrongly", "__module__": __name__, "__annotations__": {"name": ClassVar[str]}, method: replacement}
    ks.register_sampler(dataclass(frozen=True)(type("Wrongly", (Mirrored,), words)))
    rows = np.random.default_rng(0).standard_normal((5, 2))
    with pytest.raises(ks.PluginError, match=message):
        ks.compile("gaussian()", data=rows, n_features=64, method="wrongly", landmarks="never", draws="independent")


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize("written", ["tests", "Tests", "a-distribution", "a_Distribution"])
def test_a_file_may_name_a_plug_in_by_its_module_or_its_distribution(
    written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ks.register_kernel(Narrow)
    monkeypatch.setattr(importlib.metadata, "packages_distributions", lambda: {"tests": ["A.distribution"]})
    assert class_of(f"kernel.narrow@{written}") is Narrow
    with pytest.raises(ValueError, match="of the package 'other', which is not registered"):
        class_of("kernel.narrow@other")
