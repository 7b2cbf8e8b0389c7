"""Second moments of one sample: the recursion that predicts the variance of every feature map."""

from __future__ import annotations

from dataclasses import dataclass

from kernelspec.notation.arguments import Scalar, Value
from kernelspec.notation.elementary import whole_power
from kernelspec.notation.pairs import NumericPairs, Pairs

__all__ = ["Moments", "size_on"]


def size_on(pairs: Pairs, size: Scalar) -> Scalar:
    """A size as a float where the pairs are rows: exact numbers would make arrays of objects, worked on one by one."""
    return float(size) if isinstance(pairs, NumericPairs) else size


@dataclass(frozen=True, slots=True)
class Moments:
    """A = E|p|² and B = E Re p² of one sample p(x, y) with E p = k(x, y).

    `real` is the share of both that comes from samples without a phasor (a key alone, say): those need
    no random offset, and cost one column. Products, powers and mixtures of independent samples follow.
    """

    a: Value
    b: Value
    real: Value

    def __mul__(self, other: Moments) -> Moments:
        return Moments(self.a * other.a, self.b * other.b, self.real * other.real)

    def __pow__(self, n: int) -> Moments:
        return Moments(whole_power(self.a, n), whole_power(self.b, n), whole_power(self.real, n))

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.a + other.a, self.b + other.b, self.real + other.real)

    def scaled(self, factor: Scalar) -> Moments:
        """The moments times a number."""
        return Moments(factor * self.a, factor * self.b, factor * self.real)

    def paired(self) -> Value:
        """Second moment of the sample's estimate with cosine and sine (or one complex) column: (A + B)/2."""
        return (self.a + self.b) / 2

    def phase(self) -> Value:
        """Second moment with one column √2 cos(ω·x + b), b uniform: A + B/2, and A alone without a phasor."""
        return self.a + (self.b - self.real) / 2
