"""The classes that a saved map may consist of, and checks of values against declared types."""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable, Mapping
from enum import Enum
from fractions import Fraction
from functools import cache
from inspect import get_annotations
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from kernelspec.catalogue import ACTIVATIONS, CATALOGUES, DISTRIBUTIONS, KERNELS, package_of
from kernelspec.laws.rules import LAWS
from kernelspec.loading import load_from

__all__ = ["ENUMS", "PARTS", "check_types", "class_of", "name_of"]

Test = Callable[[Any], bool]


def check_types(cls: type[Any], values: Mapping[str, Any]) -> None:
    """Raise ValueError, naming the field, for a value that the annotation of the field of `cls` does not allow.

    `float` takes any number but NaN; `Scalar` and `Any` take finite numbers, exact ones too, and tuples of them.
    Arrays have schemas of their own: see declared_arrays.
    """
    for name, value in values.items():
        annotation, accepts = _test_of(cls, name)  # type: ignore[arg-type]  # a class has a hash
        if not accepts(value):
            raise ValueError(f"{name} must be {annotation}, and is {type(value).__name__}")


@cache
def _test_of(cls: type[Any], name: str) -> tuple[str, Test]:
    owner = next(base for base in cls.__mro__ if name in get_annotations(base))
    annotation = get_annotations(owner)[name]
    return str(annotation), _test(annotation, owner.__module__)


def _test(hint: Any, module: str) -> Test:
    """The test of a hint: a text, or whatever a name in one stands for."""
    if isinstance(hint, str):
        return _test_of_tree(ast.parse(hint, mode="eval").body, module)
    if hint in (None, NoneType):
        return lambda value: value is None
    if hint is Any:
        return _is_number_or_tuple
    if isinstance(hint, TypeVar):
        return _test(hint.__bound__, module)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return lambda value: isinstance(value, str) and value in arguments
    if origin in (Union, UnionType):
        return _any([_test(argument, module) for argument in arguments])
    if isinstance(hint, type):
        return _SIMPLE.get(hint.__name__) or (lambda value: isinstance(value, hint))
    bound = getattr(hint, "__forward_arg__", None)  # of a TypeVar whose bound is written as text
    return _test(bound, module) if bound is not None else _is_array


def _test_of_tree(tree: ast.expr, module: str) -> Test:
    match tree:
        case ast.Constant(None):
            return lambda value: value is None
        case ast.Constant(str() as text):
            return _test(text, module)
        case ast.BinOp(left, ast.BitOr(), right):
            return _any([_test_of_tree(left, module), _test_of_tree(right, module)])
        case ast.Subscript(ast.Name("tuple"), ast.Tuple([item, ast.Constant(value)])) if value is Ellipsis:
            test = _test_of_tree(item, module)
            return lambda value: isinstance(value, tuple) and all(map(test, value))
        case ast.Subscript(ast.Name("tuple"), ast.Tuple(items)):
            tests = [_test_of_tree(item, module) for item in items]
            return lambda value: _is_tuple_of(value, tests)
        case ast.Subscript(ast.Name("Literal"), names):
            allowed = ast.literal_eval(names)
            words = allowed if isinstance(allowed, tuple) else (allowed,)
            return lambda value: isinstance(value, str) and value in words
        case ast.Subscript(ast.Name("NDArray")):
            return _is_array
        case ast.Name(name):
            return _test_of_name(name, module)
    raise TypeError(f"fields of parts of maps have no annotation like {ast.unparse(tree)}")


def _test_of_name(name: str, module: str) -> Test:
    if name in _SIMPLE:
        return _SIMPLE[name]
    found = vars(sys.modules[module]).get(name)
    if found is not None:
        return _test(found, module)
    # imported for types alone: the class of the value says whether it is one
    return lambda value: any(base.__name__ == name for base in type(value).__mro__)


def _any(tests: list[Test]) -> Test:
    return lambda value: any(test(value) for test in tests)


def _is_tuple_of(value: Any, tests: list[Test]) -> bool:
    fits = isinstance(value, tuple) and len(value) == len(tests)
    return fits and all(test(item) for test, item in zip(tests, value, strict=True))


def _is_number(value: Any) -> bool:
    if isinstance(value, Fraction):
        return abs(value) < 2**1024
    return _is_float(value) and math.isfinite(value)


def _is_float(value: Any) -> bool:
    if type(value) is int:
        return abs(value) < 2**1023
    return type(value) is float and not math.isnan(value)


def _is_number_or_tuple(value: Any) -> bool:
    return all(map(_is_number_or_tuple, value)) if isinstance(value, tuple) else _is_number(value)


def _is_array(value: Any) -> bool:
    return hasattr(value, "dtype")


_SIMPLE: Mapping[str, Test] = MappingProxyType(
    {
        "bool": lambda value: type(value) is bool,
        "int": lambda value: type(value) is int,
        "float": _is_float,
        "str": lambda value: type(value) is str,
        "Any": _is_number_or_tuple,
        "Scalar": _is_number,
        "Fraction": lambda value: type(value) is Fraction,
        "Hashes": _is_array,
        "Frequencies": _is_array,
        "Stored": _is_array,
    }
)


def _named(room: str, homes: Mapping[str, str]) -> dict[str, str]:
    return {f"{room}.{name}": home for name, home in homes.items()}


_NODES = {
    "cosine_similarity": "kernelspec.kernels.leaves.inner_products:CosineSimilarity",
    "dual": "kernelspec.kernels.nodes.dual:Dual",
    "formula_product": "kernelspec.kernels.formula:FormulaProduct",
    "formula_radial": "kernelspec.kernels.formula:FormulaRadial",
    "image": "kernelspec.kernels.nodes.skeleton:Image",
    "layer": "kernelspec.kernels.nodes.skeleton:Layer",
    "power": "kernelspec.kernels.nodes.product:Power",
    "product": "kernelspec.kernels.nodes.product:Product",
    "select": "kernelspec.kernels.nodes.columns_and_lags:Select",
    "shift": "kernelspec.kernels.nodes.columns_and_lags:Shift",
    "skeleton": "kernelspec.kernels.nodes.skeleton:Skeleton",
    "stretch": "kernelspec.kernels.nodes.columns_and_lags:Stretch",
    "sum": "kernelspec.kernels.nodes.sum:Sum",
    "tilt": "kernelspec.kernels.nodes.columns_and_lags:Tilt",
    "windows": "kernelspec.kernels.nodes.windows:Windows",
}

_OF_PITCHES = {
    "converse": "kernelspec.distributions.converse:PolyaConverse",
    "scaled": "kernelspec.distributions.distribution:Scaled",
}

_FORMULAS = {
    "constant": "kernelspec.expressions.formula:Constant",
    "function": "kernelspec.expressions.formula:Formula",
    "operation": "kernelspec.expressions.formula:Operation",
    "pi": "kernelspec.expressions.formula:Pi",
    "variable": "kernelspec.expressions.formula:Variable",
}

_KEYS = {
    "binning": "kernelspec.samples.keys:BinningKey",
    "chosen": "kernelspec.samples.keys:ChosenKey",
    "column": "kernelspec.samples.keys:ColumnKey",
    "gcws": "kernelspec.samples.weighted_keys:GcwsKey",
    "mapped": "kernelspec.samples.changed_keys:MappedKey",
    "match": "kernelspec.samples.keys:MatchKey",
    "poisson": "kernelspec.samples.weighted_keys:PoissonKey",
    "runs": "kernelspec.samples.changed_keys:RunKey",
    "translated": "kernelspec.samples.changed_keys:TranslatedKey",
}

_AMPLITUDES = {
    "category_phases": "kernelspec.samples.amplitudes:CategoryPhases",
    "linear_forms": "kernelspec.samples.amplitudes:LinearForms",
    "neurons": "kernelspec.samples.amplitudes:Neurons",
    "runs": "kernelspec.samples.factor:AmplitudeRuns",
}

_MAP = {
    "anchor_rows": "kernelspec.planning.landmarks.landmarks:AnchorRows",
    "anchored": "kernelspec.maps.landmarks:AnchoredFeatures",
    "anchors": "kernelspec.planning.landmarks.landmarks:Anchors",
    "candidate": "kernelspec.planning.plan:Candidate",
    "dense": "kernelspec.maps.dense:DenseFeatures",
    "dense_frequencies": "kernelspec.samples.hadamard_frequencies:DenseBlock",
    "domain.signs": "kernelspec.tables.cells:Signs",
    "domain.unit_sphere": "kernelspec.tables.cells:UnitSphere",
    "estimated_masses": "kernelspec.planning.plan:EstimatedMasses",
    "growth": "kernelspec.samples.growth:Growth",
    "hadamard": "kernelspec.samples.hadamard_frequencies:HadamardFrequencies",
    "hadamard_blocks": "kernelspec.samples.hadamard_frequencies:HadamardBlocks",
    "keyed": "kernelspec.maps.keyed:KeyedFeatures",
    "layout": "kernelspec.tables.layout:Layout",
    "column_types": "kernelspec.tables.column_types:ColumnTypes",
    "category_blocks": "kernelspec.maps.columns.learned:CategoryBlocks",
    "known_categories": "kernelspec.tables.categories:KnownCategories",
    "learnt_columns": "kernelspec.maps.columns.learned:Exact",
    "mapped_blocks": "kernelspec.samples.hadamard_frequencies:MappedBlocks",
    "map": "kernelspec.maps.feature_map:FeatureMap",
    "phasors": "kernelspec.samples.samples:Phasors",
    "placed": "kernelspec.maps.dense:Placed",
    "plan": "kernelspec.planning.plan:Plan",
    "stratum": "kernelspec.planning.strata:Stratum",
    "unit_column": "kernelspec.samples.frequencies:UnitColumn",
}

PARTS: Mapping[str, str] = MappingProxyType(
    _MAP
    | _named("kernel", KERNELS.built_in)
    | _named("kernel", _NODES)
    | _named("distribution", DISTRIBUTIONS.built_in)
    | _named("distribution", _OF_PITCHES)
    | _named("law", LAWS)
    | _named("activation", ACTIVATIONS.built_in)
    | _named("activation", {"formula": "kernelspec.activations.formula:FormulaActivation"})
    | _named("formula", _FORMULAS)
    | _named("key", _KEYS)
    | _named("amplitude", _AMPLITUDES)
)
"""Name in the file → "module:Class", a frozen dataclass. Nothing that is not here is ever loaded from a file."""

ENUMS: Mapping[str, str] = MappingProxyType({"wave_part": "kernelspec.special.wave_parts:WavePart"})
"""The same for enumerations."""

_NAMES = MappingProxyType({home: name for names in (PARTS, ENUMS) for name, home in names.items()})


def name_of(value: Any) -> str:
    """What the class of a value is called in a file. Raises TypeError for one that no map may consist of."""
    cls = type(value)
    home = f"{cls.__module__}:{cls.__qualname__}"
    if home not in _NAMES and (package := package_of(cls)) is not None:
        return f"{next(own.kind for own in CATALOGUES if own.registered(cls.name))}.{cls.name}@{package}"
    if home not in _NAMES:
        raise TypeError(f"no saved map may hold a {home}: give it a name in kernelspec/maps/saved/classes.py")
    return _NAMES[home]


def class_of(name: Any, *, enum: bool = False) -> type[Any]:
    """The class of that name. Raises ValueError if there is none."""
    homes = ENUMS if enum else PARTS
    if isinstance(name, str) and "@" in name:
        return _of_plugin(name)
    if not isinstance(name, str) or name not in homes:
        raise ValueError(f"there is no part called {name!r}")
    found: type[Any] = load_from(homes[name])
    if enum and not issubclass(found, Enum):
        raise TypeError(f"{name} is no enumeration")
    return found


def _of_plugin(written: str) -> type[Any]:
    """The class that a plug-in has registered in this process: a file only names it. Raises ValueError."""
    kind, _, rest = written.partition(".")
    name, _, package = rest.partition("@")
    for catalogue in CATALOGUES:
        if catalogue.kind == kind and catalogue.knows(name):
            known = catalogue.registered(name)
            if known is not None and known[1] == package:
                return known[0]
    raise ValueError(
        f"it needs the {kind} {name!r:.100} of the package {package!r:.100}, which no plug-in has registered: install "
        "or import that package"
    )
