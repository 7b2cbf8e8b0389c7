"""The borders inside the package, read from its source: who may import what, and how modules look."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TypeGuard

import pytest

import kernelspec
from kernelspec.activations.activation import ACTIVATIONS
from kernelspec.distributions.distribution import DISTRIBUTIONS
from kernelspec.kernels.leaf import KERNELS

PACKAGE = Path(kernelspec.__file__).parent
TESTS = Path(__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
NAMES = [str(path.relative_to(PACKAGE)) for path in MODULES]

SYMBOLIC = (
    "activations",
    "analysis",
    "distributions",
    "elaboration",
    "exchange",
    "formulas",
    "kernels",
    "laws",
    "measures",
    "notation",
    "special",
    "spectrum",
    "verdicts",
)
"""The folders where mathematics is stated, and SymPy may be imported on use."""

HEAVY = ("sympy", "sklearn", "scipy", "numba", "mpmath", "pyarrow", "click", "rich", "pandas", "polars", "matplotlib")

GROUND = frozenset({"__version__", "errors", "limits", "loading", "rendering", "source", "suggestion"})
"""What every room may import: the modules at the top of the package, and the room of what notebooks show."""

ROOMS: dict[str, set[str]] = {
    "random": set(),
    "rendering": set(),
    "tables": {"random"},
    "notation": {"tables"},
    "special": {"random"},
    "language": set(),
    "formulas": {"language", "special"},
    "distributions": {"formulas", "notation", "random", "special"},
    "activations": {"formulas", "notation", "random", "special"},
    "kernels": {"activations", "distributions", "formulas", "notation", "random", "special", "tables"},
    "elaboration": {"activations", "distributions", "formulas", "kernels", "language", "notation", "tables"},
    "measures": {"distributions", "kernels", "notation", "random", "special"},
    "verdicts": {
        "distributions", "elaboration", "kernels", "language", "measures", "notation", "special", "tables",
    },
    "spectrum": {"kernels", "measures", "notation", "random", "special"},
    "numerics": {"random"},
    "samples": {"activations", "numerics", "random", "tables"},
    "laws": {
        "activations", "distributions", "kernels", "measures", "notation", "numerics", "random", "samples", "special",
        "spectrum",
    },
    "analysis": {
        "activations", "elaboration", "kernels", "laws", "measures", "notation", "spectrum", "tables", "verdicts",
    },
    "planning": {"kernels", "laws", "notation", "numerics", "random", "samples", "tables"},
    "files": {"numerics", "tables"},
    "maps": {
        "activations", "distributions", "files", "kernels", "laws", "notation", "numerics", "planning", "random",
        "samples", "tables",
    },
    "spec": {"analysis", "elaboration", "tables"},
    "published": {"kernels", "laws", "maps", "notation", "planning", "special", "tables"},
    "dead_kernels": {"elaboration", "kernels", "planning", "tables"},
    "compilation": {
        "dead_kernels", "elaboration", "maps", "planning", "published", "spec", "tables",
    },
    "verification": {
        "analysis", "compilation", "kernels", "laws", "maps", "notation", "numerics", "planning",
        "spec", "tables",
    },
    "similarity": {"laws"},
    "exchange": {"elaboration", "kernels", "language", "notation", "spec"},
    "estimator": {"compilation", "elaboration", "kernels", "language", "maps", "planning", "spec", "tables"},
    "plotting": {"analysis", "files", "kernels", "language", "laws", "random", "samples", "spec"},
    "testing": {
        "activations", "compilation", "distributions", "kernels", "laws", "maps", "measures", "notation", "numerics",
        "planning", "random", "samples", "spec", "tables", "verification",
    },
    "comparison": {"testing"},
    "cli": {
        "activations", "analysis", "comparison", "compilation", "dead_kernels", "distributions", "elaboration", "files",
        "kernels", "language", "maps", "notation", "numerics", "planning", "plotting", "spec", "tables", "verification",
    },
}  # fmt: skip
"""Room → the rooms it may import from, in a function or for types as well; each stands above those that use it."""

EXCEPTIONS = {
    "maps/saved/redrawn.py": {"elaboration"},  # `redraw=True` compares a map with its text
}
"""Modules that reach for a room theirs may not, and why."""

PASS_THROUGH = {"models/features.py": {"set_params"}}
"""Public functions that take **keywords: scikit-learn's contract wants them."""


@cache
def tree_of(name: str) -> ast.Module:
    return ast.parse((PACKAGE / name).read_text(encoding="utf-8"), name)


@cache
def imports(name: str) -> tuple[tuple[str, int, bool], ...]:
    """Every package imported at run time, its line, and whether that happens inside a function."""

    def walk(node: ast.AST, inside: bool) -> Iterator[tuple[str, int, bool]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):  # holds no statement
                continue
            if isinstance(child, ast.Import):
                yield from ((alias.name, child.lineno, inside) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                yield (child.module or "", child.lineno, inside)
            elif _is_for_types(child):
                for other in child.orelse:
                    yield from walk(other, inside)
            else:
                yield from walk(child, inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef))

    return tuple(walk(tree_of(name), False))


@pytest.fixture(autouse=True, scope="module")
def _forgotten_afterwards() -> Iterator[None]:
    """A million nodes of trees would be looked through by every later collection of garbage."""
    yield
    tree_of.cache_clear()
    nodes_of.cache_clear()


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def none(offences: Iterable[str]) -> None:
    """Fail with the whole list of what offends a rule, one to a line."""
    found = list(offences)
    assert not found, "\n".join([f"{len(found)} in kernelspec/:", *found])


def test_modules_are_found() -> None:
    assert len(NAMES) > 100
    assert {"__init__.py", "errors.py"} <= set(NAMES)


def test_sympy_stays_where_mathematics_is_stated_and_comes_on_use() -> None:
    def offences() -> Iterator[str]:
        for name in NAMES:
            for module, line, inside in imports(name):
                if within(module, "sympy") and Path(name).parts[0] not in SYMBOLIC:
                    yield f"{name}:{line} imports SymPy"
                if within(module, "sympy") and not inside:
                    yield f"{name}:{line} imports SymPy when it is loaded"

    none(offences())


def test_lark_stays_in_language_and_numba_in_numerics() -> None:
    def offences() -> Iterator[str]:
        for name in NAMES:
            folder = Path(name).parts[0]
            for module, line, _ in imports(name):
                if folder != "language" and within(module, "lark"):
                    yield f"{name}:{line} imports Lark"
                if folder != "numerics" and within(module, "numba"):
                    yield f"{name}:{line} imports Numba"

    none(offences())


def test_hypothesis_stays_in_the_strategies() -> None:
    none(
        f"{name}:{line} imports Hypothesis"
        for name in NAMES
        for module, line, _ in imports(name)
        if within(module, "hypothesis") and Path(name).parent != Path("testing/strategies")
    )


@cache
def nodes_of(name: str) -> tuple[ast.Import | ast.ImportFrom | ast.Call | ast.FunctionDef | ast.AsyncFunctionDef, ...]:
    """All imports, calls and functions, in a function or for types too."""
    kept = ast.Import | ast.ImportFrom | ast.Call | ast.FunctionDef | ast.AsyncFunctionDef
    return tuple(node for node in ast.walk(tree_of(name)) if isinstance(node, kept))


def arrows() -> Iterator[tuple[str, str, str]]:
    """Every import across rooms, in a function or for types too: where it is, its room, and the room it goes to."""
    for name in NAMES:
        here = room_of(name.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
        for node in nodes_of(name):
            if isinstance(node, ast.ImportFrom) and within(node.module or "", "kernelspec"):
                below = (node.module or "").removeprefix("kernelspec").lstrip(".")
                for there in {room_of(below)} if below else {room_of(alias.name) for alias in node.names}:
                    if there != here:
                        yield f"{name}:{node.lineno}", here, there


def room_of(module: str) -> str:
    return module.split(".", maxsplit=1)[0]


def test_rooms_import_only_what_the_table_allows() -> None:
    none(
        f"{place} imports from {there}/, which {here}/ may not"
        for place, here, there in arrows()
        if here in ROOMS and there not in ROOMS[here] | GROUND
        if not any(place.startswith(f"{name}:") and there in allowed for name, allowed in EXCEPTIONS.items())
    )


def test_the_table_has_every_room_and_no_way_back() -> None:
    """Each room may import only from rooms that stand above it in the table: so there is no circle."""
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    assert folders <= set(ROOMS)
    order = list(ROOMS)
    none(f"{room} → {there}" for room in order for there in ROOMS[room] if order.index(there) >= order.index(room))


def test_every_arrow_of_the_table_is_used_and_every_exception_too() -> None:
    used = {(here, there) for _, here, there in arrows()}
    none(f"{room} → {there} is allowed, and not used" for room in ROOMS for there in ROOMS[room] - GROUND
         if (room, there) not in used)  # fmt: skip
    for name, allowed in EXCEPTIONS.items():
        assert allowed <= {there for place, _, there in arrows() if place.startswith(f"{name}:")}, name


def test_rooms_say_what_lives_there_and_what_they_may_import() -> None:
    """At least two lines in words, and the table's own: what it allows is read where it is needed."""

    def offences() -> Iterator[str]:
        for room, may in ROOMS.items():
            name = f"{room}/__init__.py"
            if name not in NAMES:
                continue
            words, _, allowed = (ast.get_docstring(tree_of(name)) or "").partition("\nMay import: ")
            expected = f"{', '.join(sorted(may)) or 'no other room'}."
            if len(list(filter(None, words.splitlines()))) <= 1:
                yield f"{name} says too little about what lives there"
            if " ".join(allowed.split()) != expected:
                yield f"{name}: the docstring must end with 'May import: {expected}'"

    none(offences())


def test_rooms_within_rooms_say_what_lives_there() -> None:
    none(
        f"{name}: one line does not say what lives there, and that it may import what the room around it may"
        for name in NAMES
        if name.count("/") > 1 and name.endswith("__init__.py")
        if len((ast.get_docstring(tree_of(name)) or "").splitlines()) <= 1
    )


def test_nothing_is_evaluated_or_unpickled() -> None:
    banned = {"eval", "exec", "sympify", "parse_expr", "__import__"}
    unsafe = {"pickle", "cPickle", "dill", "joblib", "marshal", "shelve"}

    def offences() -> Iterator[str]:
        for name in NAMES:
            for node in nodes_of(name):
                if isinstance(node, ast.Call):
                    called = node.func.id if isinstance(node.func, ast.Name) else ""
                    called = node.func.attr if isinstance(node.func, ast.Attribute) else called
                    if called in banned:
                        yield f"{name}:{node.lineno} calls {called}()"
                    for keyword in node.keywords:
                        refused = isinstance(keyword.value, ast.Constant) and keyword.value.value is False
                        if keyword.arg == "allow_pickle" and not refused:
                            yield f"{name}:{node.lineno} allows pickles"
            for module, line, _ in imports(name):
                if module.split(".")[0] in unsafe:
                    yield f"{name}:{line} imports {module}"

    none(offences())


def test_public_functions_name_their_arguments() -> None:
    none(
        f"{name}:{node.lineno} {node.name}(**…)"
        for name in NAMES
        for node in nodes_of(name)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_")
        if node.args.kwarg is not None and node.name not in PASS_THROUGH.get(name, set())
    )


def test_modules_say_what_they_are() -> None:
    def offences() -> Iterator[str]:
        for name in NAMES:
            text = ast.get_docstring(tree_of(name))
            if not text:
                yield f"{name} has no docstring"
            elif len(text) <= 10:
                yield f"{name}: {text!r} says nothing"
            elif "TODO" in text:
                yield f"{name}: {text!r}"

    none(offences())


def test_modules_say_at_the_top_what_they_offer() -> None:
    def offences() -> Iterator[str]:
        for name in NAMES:
            if name.endswith("__init__.py"):
                continue
            body = tree_of(name).body[1:]
            first = next((node for node in body if not _is_import(node)), None)
            if not isinstance(first, ast.Assign | ast.AnnAssign) or _defined(first) != {"__all__"} or not first.value:
                yield f"{name}: __all__ is not the first statement after the imports"
                continue
            offered = ast.literal_eval(first.value)
            if offered != sorted(offered, key=_like_ruff):
                yield f"{name}: __all__ is not sorted"
            absent = set(offered) - {target for node in body for target in _defined(node)}
            if absent:
                yield f"{name}: {sorted(absent)} is offered, but not there"

    none(offences())


def test_names_of_modules_mean_something() -> None:
    vague = {"utils", "util", "helpers", "helper", "manager", "managers", "misc", "common", "tools", "base", "core"}
    none(name for name in NAMES if vague & {part.removesuffix(".py").strip("_") for part in Path(name).parts})


def test_every_module_has_its_mirror() -> None:
    def mirror(name: str) -> Path:
        return Path(name).parent / f"test_{Path(name).name}"

    none(
        f"{name} has no tests/{mirror(name)}"
        for name in NAMES
        if not name.endswith(("__init__.py", "__main__.py")) and not (TESTS / mirror(name)).is_file()
    )


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
    return _is_for_types(node) or isinstance(node, ast.Import | ast.ImportFrom)


def _is_for_types(node: ast.AST) -> TypeGuard[ast.If]:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


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
