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
    "expressions",
    "kernels",
    "laws",
    "measures",
    "special",
    "verdicts",
)
"""The folders where mathematics is stated, and SymPy may be imported on use."""

HEAVY = ("sympy", "sklearn", "scipy", "numba", "mpmath", "pyarrow", "click", "rich", "pandas", "polars", "matplotlib")

GROUND = frozenset({"__version__", "catalogue", "errors", "limits", "loading", "rendering"})
"""What every room may import: the modules at the top of the package, and the room of what notebooks show."""

ROOMS: dict[str, set[str]] = {
    "random": set(),
    "rendering": set(),
    "numerics": {"random"},
    "tables": {"numerics", "random"},
    "plotting": {"tables"},
    "special": {"random"},
    "language": set(),
    "expressions": {"language", "special", "tables"},
    "distributions": {"expressions", "numerics", "random", "special"},
    "activations": {"expressions", "random", "special"},
    "kernels": {"activations", "distributions", "expressions", "random", "special", "tables"},
    "elaboration": {"activations", "distributions", "expressions", "kernels", "language", "tables"},
    "measures": {"expressions", "kernels", "random", "special"},
    "verdicts": {"elaboration", "expressions", "kernels", "language", "measures", "special", "tables"},
    "samples": {"activations", "numerics", "random", "tables"},
    "laws": {
        "activations", "distributions", "expressions", "kernels", "measures", "numerics", "random", "samples",
        "special",
    },
    "analysis": {
        "activations", "elaboration", "expressions", "kernels", "language", "laws", "measures", "plotting", "random",
        "tables", "verdicts",
    },
    "planning": {"expressions", "kernels", "laws", "numerics", "random", "samples", "tables"},
    "maps": {
        "expressions", "kernels", "laws", "numerics", "planning", "plotting", "random", "samples",
        "tables",
    },
    "spec": {"analysis", "elaboration", "language", "tables"},
    "published": {"expressions", "kernels", "laws", "maps", "planning", "special", "tables"},
    "compilation": {"elaboration", "kernels", "maps", "planning", "published", "spec", "tables"},
    "verification": {
        "analysis", "compilation", "expressions", "kernels", "laws", "maps", "numerics", "planning",
        "spec", "tables",
    },
    "testing": {
        "compilation", "expressions", "laws", "maps", "measures", "numerics", "planning", "random", "samples", "spec",
        "tables", "verification",
    },
    "exchange": {"elaboration", "expressions", "kernels", "language", "measures", "spec", "testing"},
    "models": {
        "analysis", "compilation", "elaboration", "exchange", "expressions", "kernels", "language", "maps", "measures",
        "numerics", "planning", "plotting", "samples", "spec", "tables",
    },
    "cli": {
        "activations", "analysis", "compilation", "distributions", "elaboration", "exchange",
        "expressions", "kernels", "language", "maps", "models", "numerics", "planning", "plotting", "rendering",
        "spec", "tables", "verification",
    },
}  # fmt: skip
"""Room → the rooms it may import from, in a function or for types as well; each stands above those that use it."""

EXCEPTIONS = {
    "maps/redrawn.py": {"elaboration"},  # `redraw=True` compares a map with the text of its spec
}
"""Modules that reach for a room theirs may not, and why."""

PASS_THROUGH = {"models/features.py": {"set_params"}, "models/given.py": {"set_params"}}
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


@pytest.mark.slow
def test_sympy_stays_where_mathematics_is_stated_and_comes_on_use() -> None:
    def offences() -> Iterator[str]:
        for name in NAMES:
            for module, line, inside in imports(name):
                if within(module, "sympy") and Path(name).parts[0] not in SYMBOLIC:
                    yield f"{name}:{line} imports SymPy"
                if within(module, "sympy") and not inside:
                    yield f"{name}:{line} imports SymPy when it is loaded"
            for node in nodes_of(name):
                if isinstance(node, ast.ImportFrom) and node.module == "kernelspec.loading":
                    on_use = "sympy" in {alias.name for alias in node.names}
                    if on_use and Path(name).parts[0] not in SYMBOLIC:
                        yield f"{name}:{node.lineno} imports SymPy"

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


def test_hypothesis_stays_in_the_tests() -> None:
    none(
        f"{name}:{line} imports Hypothesis"
        for name in NAMES
        for module, line, _ in imports(name)
        if within(module, "hypothesis")
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


NAME_LEAVES: dict[str, tuple[set[str], str]] = {
    "analysis/variances.py": ({"RbfCosine"}, "the variances of Li 2017 are about this kernel"),
    "elaboration/forms/formulas.py": (
        {"Constant", "Gibbs", "Linear"},
        "basis() is linear() of a function, polynomial() a power of it plus constant(), gibbs() has a function",
    ),
    "elaboration/forms/categories.py": (
        {"Constant", "Linear", "Match"},
        "hamming() is made of match() and constant(), levels() is linear() of numbers for the levels",
    ),
    "elaboration/forms/named.py": (
        {"Cosine", "Gaussian", "Gneiting"},
        "a spectral mixture is made of them; gneiting() has a kernel of space",
    ),
    "elaboration/forms/grids.py": ({"Circle"}, "image(…) is written with it"),
    "elaboration/forms/lags.py": ({"Cosine"}, "modulate(…) is written with it"),
    "exchange/adjoints.py": ({"Gneiting", "RbfCosine"}, "a rule beside the derivatives of their arguments"),
    "kernels/nodes/sums_and_products.py": ({"constant"}, "a product of no factors is 1"),
    "laws/atoms.py": ({"Cosine"}, "the part of a pair of atoms is one"),
    "laws/coordinate.py": ({"RbfCosine"}, "the law that draws it"),
    "laws/finite_features.py": ({"Match"}, "the features of its categories"),
    "laws/keys.py": ({"Match", "MinMax"}, "the laws that draw them"),
    "laws/translation.py": ({"CoshGaussian", "SinhGaussian"}, "the laws that draw them"),
    "laws/sums_and_products.py": ({"Constant"}, "the law that draws it"),
    "laws/rules.py": ({"Constant", "CoshGaussian", "Match", "MinMax", "RbfCosine", "SinhGaussian"}, "finds their laws"),
    "maps/saved_kinds.py": ({"CosineSimilarity", "Gibbs", "Gneiting"}, "names of the format of files"),
    "published.py": ({"Gaussian"}, "the published estimator of sinh_gaussian() fits the mass of this part"),
}
"""Modules outside `kernels/leaves/` that name a kernel of the catalogue, which ones, and why.

A kernel states its own mathematics; measures, verdicts and the rules of the elaborator ask it.
"""


@cache
def named_kernels() -> frozenset[str]:
    """The classes in `kernels/leaves/` that have a name in specs; others are contracts that families share."""
    return frozenset(
        node.name
        for name in NAMES
        if name.startswith("kernels/leaves/")
        for node in tree_of(name).body
        if isinstance(node, ast.ClassDef)
        if any("name" in _defined(part) for part in node.body)
    )


def leaves_named(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Where a module imports a kernel of the catalogue, says its home in a text, or tests a name in specs."""
    words = {name.lower() for name in named_kernels()}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and within(node.module or "", "kernelspec.kernels.leaves"):
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name in named_kernels())
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            _, colon, name = node.value.rpartition(":")
            if colon and name in named_kernels() and ("leaves" in node.value or node.value.startswith(".")):
                yield node.lineno, name
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "load_kernel":
            yield from ((text.lineno, str(text.value)) for text in node.args if isinstance(text, ast.Constant))
        elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Attribute) and node.left.attr == "name":
            for other in node.comparators:
                for text in ast.walk(other):
                    if isinstance(text, ast.Constant) and str(text.value).replace("_", "") in words:
                        yield text.lineno, str(text.value)


@pytest.mark.slow
def test_kernels_state_their_mathematics_and_other_rooms_name_none() -> None:
    def offences() -> Iterator[str]:
        for name in NAMES:
            if name.startswith("kernels/leaves/") or name == "catalogue.py":
                continue
            allowed, _ = NAME_LEAVES.get(name, (set(), ""))
            found = list(leaves_named(tree_of(name)))
            yield from (f"{name}:{line} names {leaf}" for line, leaf in found if leaf not in allowed)
            unused = allowed - {leaf for _, leaf in found}
            yield from (f"{name} is allowed to name {leaf}, and does not" for leaf in unused)

    none(offences())


@pytest.mark.parametrize(
    "line",
    [
        "from kernelspec.kernels.leaves.radial import Matern",
        "RULES = {'kernelspec.kernels.leaves.gaussian:Gaussian': 'kernelspec.measures.translated'}",
        "found = kernel.name == 'powered_exponential'",
        "one = load_kernel('constant')(dim=1)",
        "found = kernel.name in ('laplace', 'exponential')",
    ],
)
def test_a_kernel_that_is_named_is_found(line: str) -> None:
    assert list(leaves_named(ast.parse(line)))


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


MOST_FILES = 330
"""Beside those of models."""

LARGEST_CIRCLE = 3


def test_files_are_few_enough_to_know() -> None:
    assert len([name for name in NAMES if not name.startswith("models/")]) <= MOST_FILES


def test_imports_form_no_large_circle() -> None:
    """Imports in functions and for types count: a circle of more files has to be read as one."""
    module_of = {name.removesuffix(".py").removesuffix("/__init__").replace("/", "."): name for name in NAMES}
    reached: dict[str, set[str]] = {name: set() for name in NAMES}
    for name in NAMES:
        for node in nodes_of(name):
            if isinstance(node, ast.ImportFrom) and within(node.module or "", "kernelspec"):
                module = (node.module or "").removeprefix("kernelspec").lstrip(".")
                inside = {f"{module}.{alias.name}".lstrip(".") for alias in node.names} & set(module_of)
                reached[name] |= {module_of[found] for found in inside or {module} & set(module_of)} - {name}
    packages = {name for name in NAMES if name.endswith("__init__.py")}
    none(
        f"a circle of {len(circle)}: {', '.join(sorted(circle))}"
        for circle in circles({name: there - packages for name, there in reached.items()})
        if len(circle) > LARGEST_CIRCLE
    )


def circles(reached: dict[str, set[str]]) -> Iterator[set[str]]:
    """Strongly connected components of a graph [Kosaraju]."""
    order: list[str] = []
    seen: set[str] = set()
    for start, first in reached.items():
        stack = [(start, iter(first))] if start not in seen else []
        seen.add(start)
        while stack:
            name, following = stack[-1]
            there = next((each for each in following if each not in seen), None)
            if there is None:
                order.append(stack.pop()[0])
            else:
                seen.add(there)
                stack.append((there, iter(reached[there])))
    backwards: dict[str, set[str]] = {name: set() for name in reached}
    for name, those in reached.items():
        for there in those:
            backwards[there].add(name)
    taken: set[str] = set()
    for start in reversed(order):
        circle, waiting = set[str](), [start] if start not in taken else []
        while waiting:
            name = waiting.pop()
            if name not in taken:
                taken.add(name)
                circle.add(name)
                waiting += backwards[name]
        if len(circle) > 1:
            yield circle


PARSING = "import kernelspec; kernelspec.parse('gaussian() * match()')"


@pytest.mark.slow
@pytest.mark.parametrize("statement", ["import kernelspec", PARSING])
def test_importing_is_light(statement: str) -> None:
    script = f"import sys; {statement}; print(sorted({set(HEAVY)!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_everything_public_is_there() -> None:
    missing = "[name for name in ks.__all__ if not hasattr(ks, name)]"
    script = f"import kernelspec as ks; print({missing}, dir(ks) == sorted(ks.__all__))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] True"


def _is_import(node: ast.stmt) -> bool:
    if isinstance(node, ast.Try):  # of a package that may be missing
        return all(map(_is_import, node.body))
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
    if isinstance(node, ast.If | ast.Try):
        return set().union(*map(_defined, (*node.body, *node.orelse)))
    return set()


def _like_ruff(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, as RUF022 sorts."""
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2, name)
