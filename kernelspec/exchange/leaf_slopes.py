"""Derivatives of catalogue kernels on a line, by SymPy, compiled once for a kind of kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.errors import NoCounterpartError
from kernelspec.kernels.families.radial import Radial

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.kernels.families.coordinatewise import Coordinatewise

__all__ = ["Slope", "line_slopes"]

Slope = Callable[..., "NDArray[np.float64]"]
"""From lags t and the values of the arguments to a derivative of f(t)."""

_KEPT = 64


@lru_cache(maxsize=_KEPT)
def line_slopes(leaf: Radial | Coordinatewise, names: tuple[str, ...]) -> tuple[Slope, tuple[Slope, ...]]:
    """∂f/∂t and ∂f/∂a for each named argument a, of the function f that the kernel is on one column.

    `leaf` has numbers, exact where they can be, for the other arguments. Raises NoCounterpartError for an argument by
    which there is no derivative in closed form.
    """
    import sympy

    lag = sympy.Symbol("t", positive=True) if isinstance(leaf, Radial) else sympy.Symbol("t", real=True)
    symbols = {name: sympy.Symbol(name, positive=True) for name in names}
    named = replace(leaf, **symbols)
    profile = named.profile_expression(lag) if isinstance(named, Radial) else named.factor_expression(lag)
    found = []
    for variable in (lag, *symbols.values()):
        slope = sympy.diff(profile, variable)
        if slope.has(sympy.Derivative, sympy.Subs, sympy.Integral):
            raise NoCounterpartError(
                f"{type(leaf).name}() has no derivative by '{variable}' in closed form: give it a number"
            )
        found.append(sympy.lambdify([lag, *symbols.values()], slope, ["scipy", "numpy"], cse=True))
    return found[0], tuple(found[1:])
