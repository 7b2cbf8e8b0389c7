"""Tests of `loading.py`."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import KernelspecError, MissingPackageError
from kernelspec.kernels.kernel import Kernel, all_parts
from kernelspec.kernels.leaf import Leaf
from kernelspec.laws.law import Law
from kernelspec.laws.rules import SCHEMES
from kernelspec.loading import Source, Span, home_of, load_from, require_package, suggest


def test_a_package_that_is_there_is_not_imported_by_asking_for_it() -> None:
    script = "import sys; from kernelspec.loading import require_package as require; " + (
        "require('matplotlib', extra='plot', purpose='figures'); print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("known", [MissingPackageError, KernelspecError, ImportError])
def test_a_missing_package_is_named_with_the_command_that_installs_it(known: type[Exception]) -> None:
    message = r"^figures need the package plotlib, which is not installed: pip install 'kernelspec\[plot\]'$"
    with pytest.raises(known, match=message):
        require_package("plotlib", extra="plot", purpose="figures")


@pytest.mark.slow
def test_every_extra_that_a_message_names_is_there_and_brings_the_package() -> None:
    root = Path(__file__).resolve().parent.parent
    extras = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    calls = r'require_package\(\s*"(\w+)",\s*extra="(\w+)"'
    modules = [path.read_text(encoding="utf-8") for path in (root / "kernelspec").rglob("*.py")]
    asked = [found for text in modules for found in re.findall(calls, text)]
    assert asked
    for name, extra in asked:
        assert any(line.startswith(f"{name}>=") for line in extras[extra]), f"kernelspec[{extra}] does not bring {name}"


def span_of(text: str, part: str, name: str = "<spec>") -> Span:
    start = text.index(part)
    return Span(Source(text, name), start, start + len(part))


@pytest.mark.parametrize(
    ("text", "part", "report"),
    [
        ("a\n  bad here\nc", "bad", "f:2:3: error: why\n    bad here\n    ^^^"),
        ("a bad\nworse", "bad\nworse", "f:1:3: error: why\n  a bad\n    ^^^"),
        ("\tbad", "bad", "f:1:2: error: why\n   bad\n   ^^^"),
        ("bad\r\n", "bad", "f:1:1: error: why\n  bad\n  ^^^"),
        ("x\0bad", "bad", "f:1:3: error: why\n  x\N{REPLACEMENT CHARACTER}bad\n    ^^^"),
    ],
)
def test_report(text: str, part: str, report: str) -> None:
    assert span_of(text, part, "f").report("why") == report


@pytest.mark.parametrize("position", [0, 3])
def test_an_empty_span_gets_one_caret(position: int) -> None:
    report = Span(Source("abc"), position, position).report("why")
    assert report == f"<spec>:1:{position + 1}: error: why\n  abc\n  {' ' * position}^"


@pytest.mark.parametrize("position", [0, 30, 119, 300, 497])
def test_a_long_line_is_shown_around_the_span(position: int) -> None:
    text = "." * position + "bad" + "." * (497 - position)
    _, line, carets = Span(Source(text), position, position + 3).report("why").split("\n")
    assert len(line) <= 2 + 122
    assert line[carets.index("^") : carets.index("^") + 3] == "bad"
    assert carets.strip() == "^^^"


@pytest.mark.parametrize(
    ("word", "names", "nearest"),
    [
        ("sclae", ["scale", "shape", "width", "Age"], "scale"),
        ("SCALE", ["scale", "shape"], "scale"),
        ("age", ["scale", "Age"], "Age"),
        ("shap", ["scale", "shape"], "shape"),
        ("scale3", ["scale2", "scale1", "scale1"], "scale1"),  # the first of equally near ones
        ("income", ["Income", "INCOME"], "INCOME"),
        ("bandwidth_of_frequencies", ["scale", "width"], None),
        ("scale", [], None),
    ],
)
def test_the_nearest_of_those_there_are(word: str, names: list[str], nearest: str | None) -> None:
    assert suggest(word, names) == (f"; did you mean '{nearest}'?" if nearest else "")


@pytest.mark.slow
def test_packages_are_imported_when_something_of_them_is_needed() -> None:
    code = (
        "import sys; from kernelspec.loading import sympy; assert not hasattr(sympy, '__wrapped__');"
        "assert 'sympy' not in sys.modules; one = sympy.S.One; assert sys.modules['sympy'].S.One is one"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


COMPILED = 'import kernelspec as ks; ks.compile("gaussian(scale=2)", dim=3)'
COUNT = "import sys; print(len([name for name in sys.modules if name.split('.')[0] == 'kernelspec']))"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "most"),
    [
        (COMPILED, 150),
        ('import kernelspec as ks; ks.compile("gaussian(scale=2)", dim=3).transform([[0.5, 1.0, 2.0]])', 150),
        ('import kernelspec as ks; ks.analyze("gaussian(scale=2)").verdict', 100),
        ('import kernelspec as ks; ks.compile("0.5*gaussian(scale=2)[a] + laplace()[a, b]", columns=["a", "b"])', 150),
    ],
)
def test_a_simple_kernel_loads_few_modules(statement: str, most: int) -> None:
    """Of this package, packages counted: rules, laws and nodes come with the kernels that need them."""
    script = f"{statement}\n{COUNT}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= most


@pytest.mark.parametrize(
    ("dispatch", "homes", "every"),
    [
        ("kernelspec.laws.rules:own_law", "kernelspec.laws.rules:_HOMES", "kernelspec.laws.rules:LAWS"),
        ("kernelspec.laws.rules:closed_to", "kernelspec.laws.rules:_HOMES", "kernelspec.laws.rules:LAWS"),
        ("kernelspec.measures.measure:measure_rule", "kernelspec.measures.measure:_HOMES", None),
    ],
)
def test_the_module_of_every_rule_is_listed(dispatch: str, homes: str, every: str | None) -> None:
    """A rule that is not would be missing until something else loads its module."""
    listed = load_from(homes)
    for home in {
        *listed.values(),
        *(value.partition(":")[0] for value in (load_from(every) if every else {}).values()),
    }:
        import_module(home)
    for cls, rule in load_from(dispatch).registry.items():
        if cls not in (object, Kernel, Leaf) and rule.__module__.partition(".")[2].startswith(("laws", "measures")):
            assert listed.get(home_of(cls), load_from(dispatch).__module__) == rule.__module__, cls


@pytest.mark.parametrize("name", list(SCHEMES))
def test_a_scheme_is_asked_about_every_kernel_that_has_it(name: str) -> None:
    """Its rule is for `nodes`; `leaf_fact` only saves loading its module: the rule refuses other leaves itself."""
    scheme, laws = SCHEMES[name], []
    rule, classes = load_from(scheme.rule), tuple(load_from(home) for home in scheme.nodes)
    for text in KERNELS_OF_EVERY_KIND:
        for part in all_parts(ks.parse(text).kernel(Columns(4))):
            if isinstance(part, classes):
                law = rule(part)
                asked = not scheme.leaf_fact or not isinstance(part, Leaf) or getattr(part, scheme.leaf_fact)
                assert asked or law is None, part
                laws.append(law)
    assert any(isinstance(law, Law) for law in laws)


KERNELS_OF_EVERY_KIND = [
    "gaussian() + laplace()*cosine(1) - 0.5*periodic(1)**2",
    "match()*matern(nu=3/2) + minmax() + binary()[0] + noise() + periodic(1)[1]",
    "dual(relu, sphere()) + dual(exp, linear()) + normalize(linear())*constant()",
    "shift_gaussian(by=1) + sinh_gaussian(by=1) + cosh_gaussian(by=1) + rbf_cosine()",
    "shift(gaussian(), by=1) + tilt(gaussian(), by=1) + stretch(cosine(1), 2) + sinc() + triangle() + cauchy()",
    "product(t -> exp(-t)) + radial(r -> exp(-r**1.5)) + polya(gamma(shape=3)) + bochner(student_t(dof=3))",
    "full(relu, input=conv(relu, size=2, input=image(2, 2, 1, base=circle()))) + exponential() + rational_quadratic(1)",
    "(linear() + constant())**2 + powered_exponential(alpha=1.5) + modulate(gaussian(), by=1)",
]
