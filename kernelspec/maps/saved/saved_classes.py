"""The classes that a saved map may consist of, by the names they have in the file."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any

from kernelspec.activations.catalogue import ACTIVATIONS
from kernelspec.distributions.catalogue import DISTRIBUTIONS
from kernelspec.kernels.catalogue import KERNELS
from kernelspec.laws.catalogue import LAWS
from kernelspec.loading import load_from

__all__ = ["ENUMS", "PARTS", "class_of", "name_of"]


def _named(room: str, homes: Mapping[str, str]) -> dict[str, str]:
    return {f"{room}.{name}": home for name, home in homes.items()}


_NODES = {
    "cosine_similarity": "kernelspec.kernels.families.cosine_similarity:CosineSimilarity",
    "dual": "kernelspec.kernels.nodes.dual:Dual",
    "formula_product": "kernelspec.kernels.families.formula_product:FormulaProduct",
    "formula_radial": "kernelspec.kernels.families.formula_radial:FormulaRadial",
    "image": "kernelspec.kernels.nodes.image:Image",
    "layer": "kernelspec.kernels.nodes.skeleton_layer:Layer",
    "power": "kernelspec.kernels.nodes.power:Power",
    "product": "kernelspec.kernels.nodes.product:Product",
    "select": "kernelspec.kernels.nodes.select:Select",
    "shift": "kernelspec.kernels.nodes.shift:Shift",
    "skeleton": "kernelspec.kernels.nodes.skeleton:Skeleton",
    "stretch": "kernelspec.kernels.nodes.stretch:Stretch",
    "sum": "kernelspec.kernels.nodes.sum:Sum",
    "tilt": "kernelspec.kernels.nodes.tilt:Tilt",
    "windows": "kernelspec.kernels.nodes.windows:Windows",
}

_OF_PITCHES = {
    "converse": "kernelspec.distributions.converse:PolyaConverse",
    "scaled": "kernelspec.distributions.scaled:Scaled",
}

_FORMULAS = {
    "constant": "kernelspec.formulas.formula:Constant",
    "function": "kernelspec.formulas.formula:Formula",
    "operation": "kernelspec.formulas.formula:Operation",
    "pi": "kernelspec.formulas.formula:Pi",
    "variable": "kernelspec.formulas.formula:Variable",
}

_KEYS = {
    "binning": "kernelspec.samples.keys.binning:BinningKey",
    "chosen": "kernelspec.samples.keys.chosen_key:ChosenKey",
    "column": "kernelspec.samples.keys.column_key:ColumnKey",
    "gcws": "kernelspec.samples.keys.gcws:GcwsKey",
    "mapped": "kernelspec.samples.keys.mapped_key:MappedKey",
    "match": "kernelspec.samples.keys.match:MatchKey",
    "poisson": "kernelspec.samples.keys.poisson:PoissonKey",
    "runs": "kernelspec.samples.keys.run_key:RunKey",
    "translated": "kernelspec.samples.keys.translated_key:TranslatedKey",
}

_AMPLITUDES = {
    "category_phases": "kernelspec.samples.amplitudes.category_phases:CategoryPhases",
    "linear_forms": "kernelspec.samples.amplitudes.linear_forms:LinearForms",
    "neurons": "kernelspec.samples.amplitudes.neurons:Neurons",
    "runs": "kernelspec.samples.amplitudes.amplitude_factor:AmplitudeRuns",
}

_MAP = {
    "anchor_rows": "kernelspec.planning.anchors.anchor_rows:AnchorRows",
    "anchored": "kernelspec.maps.anchored:AnchoredFeatures",
    "anchors": "kernelspec.planning.anchors.anchors:Anchors",
    "candidate": "kernelspec.planning.plan:Candidate",
    "dense": "kernelspec.maps.dense:DenseFeatures",
    "dense_frequencies": "kernelspec.samples.hadamard_frequencies:DenseBlock",
    "domain.signs": "kernelspec.tables.domain:Signs",
    "domain.unit_sphere": "kernelspec.tables.domain:UnitSphere",
    "estimated_masses": "kernelspec.planning.estimated_masses:EstimatedMasses",
    "growth": "kernelspec.samples.growth:Growth",
    "hadamard": "kernelspec.samples.hadamard_frequencies:HadamardFrequencies",
    "hadamard_blocks": "kernelspec.samples.hadamard_frequencies:HadamardBlocks",
    "keyed": "kernelspec.maps.keyed:KeyedFeatures",
    "layout": "kernelspec.tables.layout:Layout",
    "column_types": "kernelspec.tables.column_types:ColumnTypes",
    "category_blocks": "kernelspec.maps.columns.category_blocks:CategoryBlocks",
    "known_categories": "kernelspec.tables.known_categories:KnownCategories",
    "learnt_columns": "kernelspec.maps.columns.exact_columns:Exact",
    "mapped_blocks": "kernelspec.samples.hadamard_frequencies:MappedBlocks",
    "map": "kernelspec.maps.feature_map:FeatureMap",
    "phasors": "kernelspec.samples.samples:Phasors",
    "placed": "kernelspec.maps.dense:Placed",
    "plan": "kernelspec.planning.plan:Plan",
    "stratum": "kernelspec.planning.strata:Stratum",
    "unit_column": "kernelspec.samples.columns_read:UnitColumn",
}

PARTS: Mapping[str, str] = MappingProxyType(
    _MAP
    | _named("kernel", KERNELS)
    | _named("kernel", _NODES)
    | _named("distribution", DISTRIBUTIONS)
    | _named("distribution", _OF_PITCHES)
    | _named("law", LAWS)
    | _named("activation", ACTIVATIONS)
    | _named("activation", {"formula": "kernelspec.activations.formula:FormulaActivation"})
    | _named("formula", _FORMULAS)
    | _named("key", _KEYS)
    | _named("amplitude", _AMPLITUDES)
)
"""Name in the file → "module:Class", a frozen dataclass. Nothing that is not here is ever loaded from a file."""

ENUMS: Mapping[str, str] = MappingProxyType({"wave_part": "kernelspec.special.wave_part:WavePart"})
"""The same for enumerations."""

_NAMES = MappingProxyType({home: name for names in (PARTS, ENUMS) for name, home in names.items()})


def name_of(value: Any) -> str:
    """What the class of a value is called in a file. Raises TypeError for one that no map may consist of."""
    cls = type(value)
    home = f"{cls.__module__}:{cls.__qualname__}"
    if home not in _NAMES:
        raise TypeError(f"no saved map may hold a {home}: give it a name in kernelspec/maps/saved/saved_classes.py")
    return _NAMES[home]


def class_of(name: Any, *, enum: bool = False) -> type[Any]:
    """The class of that name. Raises ValueError if there is none."""
    homes = ENUMS if enum else PARTS
    if not isinstance(name, str) or name not in homes:
        raise ValueError(f"there is no part called {name!r}")
    found: type[Any] = load_from(homes[name])
    if enum and not issubclass(found, Enum):
        raise TypeError(f"{name} is no enumeration")
    return found
