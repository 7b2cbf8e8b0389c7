"""The algebra in SymPy's own complex numbers: the shortest form of a density that is complex."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kernelspec.measures.algebra.exact_numbers import ExactNumbers

__all__ = ["PlainNumbers"]


@dataclass(frozen=True)
class PlainNumbers(ExactNumbers):
    """Expressions with the imaginary unit in them, not taken apart."""

    def complex(self, real: Any, imaginary: Any) -> Any:
        import sympy

        return sympy.S(real) + sympy.I * sympy.S(imaginary)

    def frequency(self, value: Any) -> Any:
        return value

    def real(self, value: Any) -> Any:
        import sympy

        return sympy.S(value)

    def vanishes(self, value: Any) -> bool:
        return bool(value == 0)

    def turned(self, value: Any) -> Any:
        import sympy

        return sympy.I * value

    def exp(self, exponent: Any) -> Any:
        import sympy

        return sympy.exp(exponent)

    def _short_exp(self, exponent: Any) -> Any:
        """The exponential of a square as it stands, where that is shorter than multiplied out."""
        import sympy

        return sympy.exp(min(sympy.expand(exponent), exponent, key=lambda form: form.count_ops()))

    def logarithm(self, value: Any) -> Any:
        import sympy

        return sympy.log(value)

    def gaussian_tail(self, exponent: Any, place: Any, whole: Any) -> Any:
        import sympy

        return self._short_exp(whole) * sympy.erfc(place)

    def gaussian_difference(self, exponents: tuple[Any, Any], places: tuple[Any, Any], whole: Any) -> Any:
        import sympy

        return self._short_exp(whole) * (sympy.erf(places[1]) - sympy.erf(places[0]))

    def exponential_tail(self, exponent: Any, place: Any, from_below: bool) -> Any:
        import sympy

        if sympy.expand(sympy.im(place)) == 0:  # on the cut where it is negative
            angle = sympy.Piecewise((0, place > 0), (sympy.pi if from_below else -sympy.pi, True))
            return sympy.exp(exponent + place) * (sympy.I * angle - sympy.Ei(-place))
        return sympy.exp(exponent + place) * sympy.expint(1, place)

    def crossed(self, exponent: Any, place: Any, from_below: bool) -> Any:
        import sympy

        height = sympy.expand(sympy.im(place))
        beyond = sympy.Lt(height, 0) if from_below else sympy.Ge(height, 0)
        return sympy.Piecewise((sympy.exp(exponent + place), beyond), (0, True))

    def polynomial(self, weights: Sequence[Any], base: Any) -> Any:
        import sympy

        return sympy.factor_terms(sympy.Add(*[weight * base**n for n, weight in enumerate(weights)]))

    def inverse_powers(self, weights: Sequence[Any], base: Any) -> Any:
        import sympy

        return sympy.Add(*[weight / base ** (k + 1) for k, weight in enumerate(weights)])

    def parts(self, value: Any) -> tuple[Any, Any]:
        import sympy

        return sympy.re(value), sympy.im(value)
