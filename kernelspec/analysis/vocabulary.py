"""The words of the language that are no catalogue kernels: composite forms, constants, and what is yet to come."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["COMPOSITES", "CONSTANTS", "UPCOMING"]

COMPOSITES: Mapping[str, tuple[str, ...]] = {
    "mean": (),
    "stretch": ("kernel", "by"),
    "modulate": ("kernel", "by"),
    "normalize": ("kernel",),
}
"""Kernels made from kernels, with the names of their arguments (`mean` takes any number of kernels)."""

CONSTANTS = ("d", "pi", "ones")
"""`d` is the number of columns in sight, `ones` the vector of that many ones."""

UPCOMING = frozenset(
    {
        "activation",
        "binary",
        "circle",
        "conv",
        "cosh_gaussian",
        "dual",
        "full",
        "image",
        "layer",
        "linear",
        "minmax",
        "polya",
        "product",
        "radial",
        "rbf_cosine",
        "shift",
        "shift_gaussian",
        "sinh_gaussian",
        "sphere",
        "tilt",
    }
)
"""Kernels that the language has and this version cannot analyse."""
