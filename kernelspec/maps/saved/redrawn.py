"""Whether a saved map is the one that its own spec and seed give."""

from __future__ import annotations

from dataclasses import is_dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import FileError, KernelspecError
from kernelspec.maps.draw import draw_map
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.maps.saved.part_codec import saved_fields
from kernelspec.maps.saved.replanned import replanned
from kernelspec.samples.growth import Growth

__all__ = ["check_redrawn"]

_ROUNDING = 1e-9
"""Relative to the largest entry: logarithms and sums are rounded differently on other machines."""


def check_redrawn(feature_map: FeatureMap, name: str) -> None:
    """Parse the text of the spec, plan and draw again, and compare with the map.

    What comes from data is not judged: the columns learnt, weights that were fitted, and what was predicted or noted.
    Raises FileError, with the `name` of the file, where anything else differs, or the text is none.
    """
    try:
        again = replanned(feature_map.plan)
        redrawn = replace(draw_map(again), occupied=feature_map.occupied)
        differs = _difference(feature_map, redrawn, "map", set())
    except (KernelspecError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise FileError(f"{name} cannot be drawn again from its spec: {error}") from None
    if differs is not None:
        raise FileError(f"{name} is not the map that its spec and seed give: {differs} differs")


def _difference(one: Any, other: Any, where: str, compared: set[tuple[int, int]]) -> str | None:
    """What differs first, in words; None if nothing does."""
    if type(one) is not type(other):
        return where
    if isinstance(one, Growth):
        one, other = one.tilted(), other.tilted()
    if is_dataclass(one):
        pair = id(one), id(other)
        names = [] if pair in compared else [own.name for own in saved_fields(type(one))]
        compared.add(pair)
        below = (_difference(getattr(one, name), getattr(other, name), f"{where}.{name}", compared) for name in names)
    elif isinstance(one, tuple):
        if len(one) != len(other):
            return where
        pairs = enumerate(zip(one, other, strict=True))
        below = (_difference(*items, f"{where}[{i}]", compared) for i, items in pairs)
    elif isinstance(one, np.ndarray):
        return None if _same_arrays(one, other) else where
    elif hasattr(one, "indptr"):
        names = ["data", "indices", "indptr"]
        below = (_difference(getattr(one, name), getattr(other, name), where, compared) for name in names)
    elif isinstance(one, float):
        return None if one == other or abs(one - other) <= _ROUNDING * max(abs(one), abs(other)) else where
    else:
        return None if one == other else where
    return next((found for found in below if found is not None), None)


def _same_arrays(one: NDArray[Any], other: NDArray[Any]) -> bool:
    if one.shape != other.shape or one.dtype.kind != other.dtype.kind:
        return False
    if one.dtype.kind != "f":
        return bool(np.array_equal(one, other))
    return bool(np.allclose(one, other, rtol=_ROUNDING, atol=_ROUNDING * float(np.abs(one).max(initial=0.0))))
