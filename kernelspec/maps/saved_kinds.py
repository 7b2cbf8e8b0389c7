"""The classes in saved maps and models, by their names in files."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from kernelspec.catalogue import ACTIVATIONS, CATALOGUES, DISTRIBUTIONS, KERNELS, is_of_package, package_of
from kernelspec.laws.rules import LAWS
from kernelspec.loading import load_from

__all__ = ["PARTS", "class_of", "name_of"]


def _named(room: str, homes: Mapping[str, str]) -> dict[str, str]:
    return {f"{room}.{name}": home for name, home in homes.items()}


_NODES = {
    "additive": "kernelspec.kernels.nodes.sums_and_products:Additive",
    "cosine_similarity": "kernelspec.kernels.leaves.of_rows:CosineSimilarity",
    "dual": "kernelspec.kernels.nodes.dual:Dual",
    "formula_product": "kernelspec.kernels.formula:FormulaProduct",
    "formula_radial": "kernelspec.kernels.formula:FormulaRadial",
    "gibbs": "kernelspec.kernels.leaves.of_rows:Gibbs",
    "gneiting": "kernelspec.kernels.leaves.gaussian:Gneiting",
    "image": "kernelspec.kernels.nodes.skeleton:Image",
    "layer": "kernelspec.kernels.nodes.skeleton:Layer",
    "power": "kernelspec.kernels.nodes.sums_and_products:Power",
    "product": "kernelspec.kernels.nodes.sums_and_products:Product",
    "select": "kernelspec.kernels.nodes.columns_and_lags:Select",
    "shift": "kernelspec.kernels.nodes.columns_and_lags:Shift",
    "skeleton": "kernelspec.kernels.nodes.skeleton:Skeleton",
    "stretch": "kernelspec.kernels.nodes.columns_and_lags:Stretch",
    "sum": "kernelspec.kernels.nodes.sums_and_products:Sum",
    "tilt": "kernelspec.kernels.nodes.columns_and_lags:Tilt",
    "windows": "kernelspec.kernels.nodes.skeleton:Windows",
}

_OF_PITCHES = {
    "converse": "kernelspec.distributions.converse:PolyaConverse",
    "scaled": "kernelspec.distributions.distribution:Scaled",
}

_FORMULAS = {
    "column": "kernelspec.expressions.formula:Column",
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
    "gcws": "kernelspec.samples.keys:GcwsKey",
    "mapped": "kernelspec.samples.keys:MappedKey",
    "match": "kernelspec.samples.keys:MatchKey",
    "poisson": "kernelspec.samples.keys:PoissonKey",
    "runs": "kernelspec.samples.keys:RunKey",
    "translated": "kernelspec.samples.keys:TranslatedKey",
}

_AMPLITUDES = {
    "category_phases": "kernelspec.samples.amplitudes:CategoryPhases",
    "linear_forms": "kernelspec.samples.amplitudes:LinearForms",
    "neurons": "kernelspec.samples.amplitudes:Neurons",
    "runs": "kernelspec.samples.factor:AmplitudeRuns",
    "shapes": "kernelspec.samples.amplitudes:ColumnShapes",
}

_MAP = {
    "anchor_rows": "kernelspec.planning.landmarks.landmarks:LandmarkRows",
    "anchored": "kernelspec.maps.landmarks:LandmarkCorrection",
    "anchors": "kernelspec.planning.landmarks.landmarks:ChosenLandmarks",
    "candidate": "kernelspec.planning.plan:Candidate",
    "dense": "kernelspec.maps.dense:DenseFeatures",
    "dense_frequencies": "kernelspec.samples.hadamard_frequencies:DenseBlock",
    "domain.signs": "kernelspec.tables.cells:Signs",
    "domain.span": "kernelspec.tables.cells:Span",
    "domain.unit_sphere": "kernelspec.tables.cells:UnitSphere",
    "estimated_masses": "kernelspec.planning.plan:EstimatedMasses",
    "growth": "kernelspec.samples.frequencies:Growth",
    "hadamard": "kernelspec.samples.hadamard_frequencies:HadamardFrequencies",
    "hadamard_blocks": "kernelspec.samples.hadamard_frequencies:HadamardBlocks",
    "keyed": "kernelspec.maps.keyed:KeyedFeatures",
    "layout": "kernelspec.tables.layout:Layout",
    "mapped_layout": "kernelspec.tables.layout:MappedLayout",
    "column_function": "kernelspec.expressions.columns:ComputedColumn",
    "coded_column": "kernelspec.expressions.columns:CodedColumn",
    "column_limits": "kernelspec.expressions.columns:Limits",
    "column_types": "kernelspec.tables.column_types:ColumnTypes",
    "dated_types": "kernelspec.tables.column_types:DatedTypes",
    "category_blocks": "kernelspec.maps.learned_columns:CategoryBlocks",
    "known_categories": "kernelspec.tables.categories:KnownCategories",
    "learnt_columns": "kernelspec.maps.learned_columns:Exact",
    "mapped_blocks": "kernelspec.samples.hadamard_frequencies:MappedBlocks",
    "map": "kernelspec.maps.drawn_plan:DrawnPlan",
    "phasors": "kernelspec.samples.samples:Phasors",
    "placed": "kernelspec.maps.dense:Placed",
    "plan": "kernelspec.planning.plan:Plan",
    "stratum": "kernelspec.planning.strata:Stratum",
    "unit_column": "kernelspec.samples.frequencies:UnitColumn",
}

_MODELS = {
    "checkpoint": "kernelspec.models.blocks:SavedProgress",
    "classifier": "kernelspec.models.classifier:FittedClassifier",
    "exact": "kernelspec.models.posterior:ExactPosterior",
    "exact_fit": "kernelspec.models.exact:ExactFit",
    "features": "kernelspec.models.posterior:FeaturePosterior",
    "held_out": "kernelspec.models.saved:HeldOut",
    "least_squares": "kernelspec.models.class_models:LeastSquares",
    "logistic": "kernelspec.models.class_models:Logistic",
    "mean_rests": "kernelspec.models.state:MeanRests",
    "regressor": "kernelspec.models.regressor:FittedRegressor",
    "ridge_fit": "kernelspec.models.ridge:RidgeFit",
    "state": "kernelspec.models.state:SavedState",
    "state_space": "kernelspec.models.state_space:StateSpacePosterior",
    "state_space_filter": "kernelspec.models.state_space:StateSpaceFilter",
    "training": "kernelspec.models.saved:Training",
    "wide": "kernelspec.models.conjugate:WidePosterior",
    "wide_ridge_fit": "kernelspec.models.ridge:WideRidgeFit",
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
    | _named("model", _MODELS)
)
"""Name in the file → "module:Class", a frozen dataclass. Only these are ever loaded from a file."""

ENUMS: Mapping[str, str] = MappingProxyType({"wave_part": "kernelspec.special.wave_parts:WavePart"})
"""The same for enumerations."""

_NAMES = MappingProxyType({home: name for names in (PARTS, ENUMS) for name, home in names.items()})


def name_of(value: Any) -> str:
    """The name of a value's class in files. Raises TypeError for a class without one."""
    cls = type(value)
    home = f"{cls.__module__}:{cls.__qualname__}"
    if home not in _NAMES and (package := package_of(cls)) is not None:
        return f"{next(own.kind for own in CATALOGUES if own.registered(cls.name))}.{cls.name}@{package}"
    if home not in _NAMES:
        raise TypeError(f"a saved map cannot contain a {home}: add it to kernelspec/maps/saved_kinds.py")
    return _NAMES[home]


def class_of(name: Any, *, enum: bool = False) -> type[Any]:
    """The class of that name. Raises ValueError if it is unknown."""
    homes = ENUMS if enum else PARTS
    if isinstance(name, str) and "@" in name:
        return _of_plugin(name)
    if not isinstance(name, str) or name not in homes:
        raise ValueError(f"unknown part {name!r}")
    found: type[Any] = load_from(homes[name])
    return found


def _of_plugin(written: str) -> type[Any]:
    """The class that a plug-in registered in this process; files only name it. Raises ValueError."""
    kind, _, rest = written.partition(".")
    name, _, package = rest.partition("@")
    for catalogue in CATALOGUES:
        if catalogue.kind == kind and catalogue.knows(name):
            known = catalogue.registered(name)
            if known is not None and is_of_package(*known, package):
                return known[0]
    raise ValueError(
        f"it needs the {kind} {name!r:.100} of the package {package!r:.100}, which is not registered: install that "
        "package, or register the class"
    )
