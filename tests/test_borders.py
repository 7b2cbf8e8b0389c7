"""The borders inside the package, read from its source: who may import what, and how modules look."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import kernelspec
from kernelspec.activations.catalogue import ACTIVATIONS
from kernelspec.distributions.catalogue import DISTRIBUTIONS
from kernelspec.kernels.catalogue import KERNELS

PACKAGE = Path(kernelspec.__file__).parent
TESTS = Path(__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
NAMES = [str(path.relative_to(PACKAGE)) for path in MODULES]

SYMBOLIC = (
    "activations",
    "analysis",
    "distributions",
    "elaboration",
    "formulas",
    "kernels",
    "laws",
    "measures",
    "notation",
    "spectrum",
    "verdicts",
)
"""The folders where mathematics is stated, and SymPy may be imported on use."""

SYMBOLIC_FILES = ("special/matern_expression.py",)
"""Files elsewhere that state mathematics for several of these folders."""

BELOW_ALL = ("kernelspec.errors", "kernelspec.limits", "kernelspec.source", "kernelspec.suggestion")
"""The modules that every room may import."""

HEAVY = ("sympy", "sklearn", "scipy", "numba", "mpmath", "pyarrow", "click", "rich", "pandas", "polars", "matplotlib")

PASS_THROUGH = {"estimator/estimator.py": {"set_params"}}
"""Public functions that take **keywords: scikit-learn's contract wants them."""


def tree_of(name: str) -> ast.Module:
    return ast.parse((PACKAGE / name).read_text(encoding="utf-8"), name)


def imports(name: str) -> Iterator[tuple[str, int, bool]]:
    """Every package imported at run time, its line, and whether that happens inside a function."""

    def walk(node: ast.AST, inside: bool) -> Iterator[tuple[str, int, bool]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                yield from ((alias.name, child.lineno, inside) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                yield (child.module or "", child.lineno, inside)
            elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                for other in child.orelse:
                    yield from walk(other, inside)
            else:
                yield from walk(child, inside or isinstance(child, ast.FunctionDef | ast.Lambda | ast.AsyncFunctionDef))

    yield from walk(tree_of(name), False)


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


@pytest.mark.parametrize("name", NAMES)
def test_sympy_stays_where_mathematics_is_stated_and_comes_on_use(name: str) -> None:
    folder = Path(name).parts[0]
    for module, line, inside in imports(name):
        if within(module, "sympy"):
            assert folder in SYMBOLIC or name in SYMBOLIC_FILES, f"{name}:{line} imports SymPy"
            assert inside, f"{name}:{line} imports SymPy when it is loaded"


@pytest.mark.parametrize("name", NAMES)
def test_lark_stays_in_language_and_numba_in_numerics(name: str) -> None:
    folder = Path(name).parts[0]
    for module, line, _ in imports(name):
        assert folder == "language" or not within(module, "lark"), f"{name}:{line} imports Lark"
        assert folder == "numerics" or not within(module, "numba"), f"{name}:{line} imports Numba"


@pytest.mark.parametrize("name", NAMES)
def test_hypothesis_stays_in_the_strategies(name: str) -> None:
    found = [line for module, line, _ in imports(name) if within(module, "hypothesis")]
    assert not found or Path(name).parent == Path("testing/strategies"), f"{name}:{found} imports Hypothesis"


@pytest.mark.parametrize("name", NAMES)
def test_no_pass_reaches_backwards(name: str) -> None:
    # text → spec → analysis → plan → map: the language knows none of the others
    if Path(name).parts[0] == "language":
        for module, line, _ in imports(name):
            own = within(module, "kernelspec.language") or module in BELOW_ALL
            assert own or not within(module, "kernelspec"), f"{name}:{line} imports {module}"


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_evaluated_or_unpickled(name: str) -> None:
    banned = {"eval", "exec", "sympify", "parse_expr", "__import__"}
    for node in ast.walk(tree_of(name)):
        if isinstance(node, ast.Call):
            called = node.func.id if isinstance(node.func, ast.Name) else ""
            called = node.func.attr if isinstance(node.func, ast.Attribute) else called
            assert called not in banned, f"{name}:{node.lineno} calls {called}()"
            for keyword in node.keywords:
                allowed = isinstance(keyword.value, ast.Constant) and keyword.value.value is False
                assert keyword.arg != "allow_pickle" or allowed, f"{name}:{node.lineno} allows pickles"
    for module, line, _ in imports(name):
        unsafe = {"pickle", "cPickle", "dill", "joblib", "marshal", "shelve"}
        assert module.split(".")[0] not in unsafe, f"{name}:{line} imports {module}"


@pytest.mark.parametrize("name", NAMES)
def test_public_functions_name_their_arguments(name: str) -> None:
    allowed = PASS_THROUGH.get(name, set())
    for node in ast.walk(tree_of(name)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            assert node.args.kwarg is None or node.name in allowed, f"{name}:{node.lineno} {node.name}(**…)"


@pytest.mark.parametrize("name", NAMES)
def test_modules_say_what_they_are(name: str) -> None:
    text = ast.get_docstring(tree_of(name))
    assert text, f"{name} has no docstring"
    assert len(text) > 10, f"{name}: {text!r} says nothing"
    assert "TODO" not in text, f"{name}: {text!r}"


@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith("__init__.py")])
def test_modules_say_at_the_top_what_they_offer(name: str) -> None:
    body = tree_of(name).body[1:]
    first = next((node for node in body if not _is_import(node)), None)
    assert first is not None, f"{name} has no __all__"
    assert _defined(first) == {"__all__"}, f"{name}: __all__ is not the first statement after the imports"
    assert isinstance(first, ast.Assign | ast.AnnAssign)
    assert first.value is not None
    offered = ast.literal_eval(first.value)
    assert offered == sorted(offered, key=_like_ruff), f"{name}: __all__ is not sorted"
    defined = {target for node in body for target in _defined(node)}
    assert set(offered) <= defined, f"{name}: {set(offered) - defined} is offered, but not there"


@pytest.mark.parametrize("name", NAMES)
def test_names_of_modules_mean_something(name: str) -> None:
    vague = {"utils", "util", "helpers", "helper", "manager", "managers", "misc", "common", "tools", "base", "core"}
    assert not vague & {part.removesuffix(".py").strip("_") for part in Path(name).parts}


@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith(("__init__.py", "__main__.py"))])
def test_every_module_has_its_mirror(name: str) -> None:
    path = Path(name)
    mirror = TESTS / path.parent / f"test_{path.name}"
    assert mirror.is_file(), f"{name} has no tests/{mirror.relative_to(TESTS)}"


@pytest.mark.parametrize(
    "catalogue", [KERNELS, DISTRIBUTIONS, ACTIVATIONS], ids=["kernels", "distributions", "activations"]
)
def test_every_entry_of_a_catalogue_has_a_file_of_its_own(catalogue: dict[str, str]) -> None:
    for name, place in catalogue.items():
        module, _, cls = place.partition(":")
        assert module.rsplit(".", 1)[1] == name
        classes = [node.name for node in tree_of(_file(module)).body if isinstance(node, ast.ClassDef)]
        assert classes == [cls], f"{module} has the classes {classes}"
    assert len(set(catalogue.values())) == len(catalogue)
    assert list(catalogue) == sorted(catalogue)


PARSING = "import kernelspec; kernelspec.parse('gaussian() * match()')"


@pytest.mark.parametrize("statement", ["import kernelspec", PARSING])
def test_importing_is_light(statement: str) -> None:
    script = f"import sys; {statement}; print(sorted({set(HEAVY)!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_everything_public_is_there() -> None:
    missing = "[name for name in ks.__all__ if not hasattr(ks, name)]"
    script = f"import kernelspec as ks; print({missing}, dir(ks) == sorted(ks.__all__))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] True"


def _is_import(node: ast.stmt) -> bool:
    typing_only = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    return typing_only or isinstance(node, ast.Import | ast.ImportFrom)


def _defined(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Assign):
        return {ast.unparse(target) for target in node.targets}
    if isinstance(node, ast.AnnAssign):
        return {ast.unparse(node.target)}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name for alias in node.names}
    return set()


def _like_ruff(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, as RUF022 sorts."""
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2, name)


def _file(module: str) -> str:
    return str(Path(*module.split(".")[1:]).with_suffix(".py"))
