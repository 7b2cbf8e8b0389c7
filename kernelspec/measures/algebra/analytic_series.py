"""Power series of the kernels that are analytic on the whole line and have no pieces: one rule a kernel."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from kernelspec.kernels.leaves.circle import Circle
from kernelspec.kernels.leaves.constant import Constant
from kernelspec.kernels.leaves.periodic import Periodic
from kernelspec.kernels.leaves.rational_quadratic import RationalQuadratic
from kernelspec.measures.algebra.piece import NotClosed

__all__ = ["analytic_series", "is_analytic"]


@singledispatch
def analytic_series(kernel: Any, place: Any, count: int) -> list[Any]:
    """The coefficients of τⁿ, n < `count`, in k(place + τ), in SymPy. Raises NotClosed for a kernel without a rule."""
    del place, count
    raise NotClosed(f"{kernel} is not known to be analytic")


@analytic_series.register
def _constant(kernel: Constant, place: Any, count: int) -> list[Any]:
    import sympy

    del kernel, place
    return [sympy.S.One] + [sympy.S.Zero] * (count - 1)


@analytic_series.register
def _circle(kernel: Circle, place: Any, count: int) -> list[Any]:
    del kernel
    return _cosine_series(place, 1, count)


@analytic_series.register
def _periodic(kernel: Periodic, place: Any, count: int) -> list[Any]:
    """exp(c(t)), c = (cos(2πt/p) − 1)/ℓ²: n eₙ = Σ j cⱼ eₙ₋ⱼ."""
    import sympy

    turn = 2 * sympy.pi / sympy.S(kernel.period)
    slopes = [value / sympy.S(kernel.scale) ** 2 for value in _cosine_series(place, turn, count)]
    found = [sympy.exp(slopes[0] - sympy.S(kernel.scale) ** -2)]
    for n in range(1, count):
        found.append(sympy.Add(*[j * slopes[j] * found[n - j] for j in range(1, n + 1)]) / n)
    return found


@analytic_series.register
def _rational_quadratic(kernel: RationalQuadratic, place: Any, count: int) -> list[Any]:
    """q^{−α}, q = 1 + t²/2αℓ²: from q f′ = −α q′ f."""
    import sympy

    alpha = sympy.S(kernel.alpha)
    curve = 1 / (2 * alpha * sympy.S(kernel.scale) ** 2)
    q = [1 + curve * place**2, 2 * curve * place, curve]
    found = [q[0] ** -alpha]
    for n in range(1, count):
        terms = [(n - j + alpha * j) * q[j] * found[n - j] for j in range(1, min(n, 2) + 1)]
        found.append(-sympy.Add(*terms) / (n * q[0]))
    return found


def _cosine_series(place: Any, turn: Any, count: int) -> list[Any]:
    import sympy

    angle = turn * place
    around = (sympy.cos(angle), -sympy.sin(angle), -sympy.cos(angle), sympy.sin(angle))
    return [turn**n * around[n % 4] / sympy.factorial(n) for n in range(count)]


def is_analytic(kernel: Any) -> bool:
    """Whether a rule here knows the kernel."""
    return analytic_series.dispatch(type(kernel)) is not analytic_series.dispatch(object)
