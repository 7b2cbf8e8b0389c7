"""Derivatives of the catalogue's kernels: radial ones, products over the columns, cosines."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import NoCounterpartError
from kernelspec.exchange.leaf_slopes import line_slopes
from kernelspec.exchange.tangents import Place, Tangents, plus, tangent_rule
from kernelspec.kernels.families.coordinatewise import Coordinatewise
from kernelspec.kernels.families.radial import Radial
from kernelspec.kernels.leaves.cosine import Cosine
from kernelspec.kernels.leaves.rbf_cosine import RbfCosine
from kernelspec.notation.arguments import declared

__all__: list[str] = []


@tangent_rule.register
def _(kernel: Radial, at: Place) -> Tangents:
    """f(r): f′(r) (Δ·∂Δ)/r + Σ ∂f/∂a ∂a; zero at r = 0, where f = 1 whatever the arguments are."""
    value = at.numbers.numeric(kernel).numbers(at.pairs)
    names = _moving(kernel, at)
    by_lag, by_argument = line_slopes(_exact(kernel, names), names)
    radius = np.sqrt(at.pairs.squared_norm())
    apart = radius > 0
    arguments = [at.numbers.value(getattr(kernel, name)) for name in names]
    slopes = at.zero()
    for name, slope in zip(names, by_argument, strict=True):
        own = _masked(slope, radius, apart, arguments)
        for i, change in enumerate(at.numbers.slope(getattr(kernel, name))):
            slopes[i] = plus(slopes[i], change * own if change else None)
    if any(move is not None for move in at.moves):
        fall = _masked(by_lag, radius, apart, arguments) / np.where(apart, radius, 1.0)
        for i, j in product(range(len(at.moves)), range(at.pairs.dim)):
            moved = at.moved_lag(i, j)
            slopes[i] = plus(slopes[i], None if moved is None else fall * at.lag(j) * moved)
    return value, slopes


@tangent_rule.register
def _(kernel: Coordinatewise, at: Place) -> Tangents:
    """∏ f(Δ_j), one column after the other; f(0) = 1 whatever the arguments are."""
    numeric = at.numbers.numeric(kernel)
    names = _moving(kernel, at)
    by_lag, by_argument = line_slopes(_exact(kernel, names), names)
    arguments = [at.numbers.value(getattr(kernel, name)) for name in names]
    total, slopes = np.ones(at.pairs.shape), at.zero()
    for j in range(at.pairs.dim):
        lag = at.lag(j)
        apart, factor = lag != 0, numeric.factor(lag)
        own = at.zero()
        for name, slope in zip(names, by_argument, strict=True):
            found = _masked(slope, lag, apart, arguments)
            for i, change in enumerate(at.numbers.slope(getattr(kernel, name))):
                own[i] = plus(own[i], change * found if change else None)
        if any(move is not None for move in at.moves):
            fall = _masked(by_lag, lag, apart, arguments)
            for i in range(len(at.moves)):
                moved = at.moved_lag(i, j)
                own[i] = plus(own[i], None if moved is None else fall * moved)
        for i, change in enumerate(own):
            kept = None if slopes[i] is None else slopes[i] * factor
            slopes[i] = plus(kept, None if change is None else total * change)
        total = total * factor
    return total, slopes


@tangent_rule.register
def _(kernel: Cosine, at: Place) -> Tangents:
    """cos(w·Δ): −sin(w·Δ)(∂w·Δ + w·∂Δ)."""
    columns = range(at.pairs.dim)
    waves = [at.numbers.value(entry) for entry in kernel.by]
    phase = np.sum([wave * at.lag(j) for j, wave in zip(columns, waves, strict=True)], axis=0)
    slopes = at.zero()
    for i in range(len(at.moves)):
        for j, wave in zip(columns, waves, strict=True):
            change, moved = at.numbers.slope(kernel.by[j])[i], at.moved_lag(i, j)
            slopes[i] = plus(slopes[i], change * at.lag(j) if change else None)
            slopes[i] = plus(slopes[i], None if moved is None else wave * moved)
    return np.cos(phase), [None if slope is None else -np.sin(phase) * slope for slope in slopes]


@tangent_rule.register
def _(kernel: RbfCosine, at: Place) -> Tangents:
    """exp(−γ(1 − ρ)): −(1 − ρ) k ∂γ."""
    value = at.numbers.numeric(kernel).numbers(at.pairs)
    fall = (at.pairs.cosine() - 1) * value
    return value, [fall * change if change else None for change in at.numbers.slope(kernel.gamma)]


def _moving(kernel: Radial | Coordinatewise, at: Place) -> tuple[str, ...]:
    """The arguments that depend on a parameter. Raises NoCounterpartError for those that are no numbers."""
    moving = tuple(name for name in declared(type(kernel)) if at.numbers.depends(getattr(kernel, name)))
    for name in moving:
        if declared(type(kernel))[name][0].kind != "number":
            raise NoCounterpartError(f"a parameter reaches '{name}' of {kernel}: there are no derivatives by it")
    return moving


def _exact(kernel: Radial | Coordinatewise, moving: tuple[str, ...]) -> Any:
    """The kernel with 1 for the arguments that move: what the compiled derivatives are kept for."""
    return replace(kernel, dim=1, span=None, **dict.fromkeys(moving, 1))


def _masked(slope: Any, lag: NDArray[Any], apart: NDArray[np.bool_], arguments: list[float]) -> NDArray[Any]:
    """A derivative where the rows are apart, and zero where they are equal."""
    values = np.asarray(slope(np.where(apart, lag, 1.0), *arguments), dtype=float)
    return np.where(apart, values, 0.0)
