"""Named members of the generalized gamma family: gamma, chi, exponential, Weibull and others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kernelspec.distributions.distribution import square_root
from kernelspec.distributions.generalized_gamma import GeneralizedGamma
from kernelspec.expressions.arguments import Scalar, integer, real
from kernelspec.limits import MAX_SHAPE

__all__ = ["Chi", "ChiSquare", "Erlang", "Exponential", "Gamma", "HalfNormal", "Nakagami", "Rayleigh", "Weibull"]


@dataclass(frozen=True, kw_only=True)
class Gamma(GeneralizedGamma):
    """Gamma of shape s > 0 and scale θ > 0: mean sθ, E[1/R] = 1/(s − 1)θ for s > 1.

    φ(t) = Q(s, u) − u Γ(s − 1, u)/Γ(s), u = t/θ; exp(−u) for s = 2, the Laplace kernel.
    Reference: Johnson, Kotz and Balakrishnan 1994, chapter 17.
    """

    name: ClassVar[str] = "gamma"
    formula: ClassVar[str] = "x^{s−1} exp(−x/θ) / Γ(s) θ^s"
    reference: ClassVar[str] = "Johnson, Kotz and Balakrishnan 1994, chapter 17"

    shape: Scalar = real(above=0, at_most=MAX_SHAPE)
    scale: Scalar = real(1, above=0)

    def stacy(self) -> tuple[Scalar, Scalar, Scalar]:
        return self.shape, 1, self.scale

    def mean(self) -> Scalar:
        return self.shape * self.scale


@dataclass(frozen=True, kw_only=True)
class Erlang(Gamma):
    """The sum of n = `shape` independent exponentials of scale θ > 0, n = 1, …, 1000: mean nθ.

    φ(t) is exp(−u) times a polynomial of degree n − 2 in u = t/θ for n ≥ 2; exp(−u) − u E₁(u) for n = 1.
    Reference: Johnson, Kotz and Balakrishnan 1994, chapter 17.
    """

    name: ClassVar[str] = "erlang"
    formula: ClassVar[str] = "x^{n−1} exp(−x/θ) / (n−1)! θ^n"
    reference: ClassVar[str] = "Johnson, Kotz and Balakrishnan 1994, chapter 17"

    shape: Scalar = integer(at_least=1, at_most=1000)


@dataclass(frozen=True, kw_only=True)
class Chi(GeneralizedGamma):
    """The root of the sum of squares of n = `dof` > 0 standard normals, nakagami(n/2, n): mean √2 Γ((n+1)/2)/Γ(n/2).

    φ(t) = Q(n/2, t²/2) − (t/√2) Γ((n−1)/2, t²/2)/Γ(n/2). Reference: Johnson, Kotz and Balakrishnan 1994, chapter 18.
    """

    name: ClassVar[str] = "chi"
    formula: ClassVar[str] = "2^{1−n/2} x^{n−1} exp(−x²/2) / Γ(n/2)"
    reference: ClassVar[str] = "Johnson, Kotz and Balakrishnan 1994, chapter 18"

    dof: Scalar = real(above=0, at_most=MAX_SHAPE)

    def stacy(self) -> tuple[Scalar, Scalar, Scalar]:
        return self.dof / 2, 2, square_root(2, self.dof)


@dataclass(frozen=True, kw_only=True)
class ChiSquare(GeneralizedGamma):
    """The sum of squares of n = `dof` > 0 standard normals, gamma(n/2, 2): mean n, E[1/R] = 1/(n − 2) for n > 2.

    φ(t) = Q(n/2, t/2) − (t/2) Γ(n/2 − 1, t/2)/Γ(n/2); exp(−t/2) for n = 4. Reference: Johnson, Kotz and Balakrishnan
    1994, chapter 18.
    """

    name: ClassVar[str] = "chi_square"
    formula: ClassVar[str] = "x^{n/2−1} exp(−x/2) / 2^{n/2} Γ(n/2)"
    reference: ClassVar[str] = "Johnson, Kotz and Balakrishnan 1994, chapter 18"

    dof: Scalar = real(above=0, at_most=MAX_SHAPE)

    def stacy(self) -> tuple[Scalar, Scalar, Scalar]:
        return self.dof / 2, 1, 2

    def mean(self) -> Scalar:
        return self.dof


@dataclass(frozen=True, kw_only=True)
class Exponential(GeneralizedGamma):
    """Exponential of scale θ > 0, the mean; E[1/R] = ∞.

    φ(t) = exp(−u) − u E₁(u), u = t/θ, with a slope of −∞ at zero; φ̂(ω) = ln(1 + θ²ω²)/θω².
    Reference: Johnson, Kotz and Balakrishnan 1994, chapter 19.
    """

    name: ClassVar[str] = "exponential"
    formula: ClassVar[str] = "exp(−x/θ) / θ"
    reference: ClassVar[str] = "Johnson, Kotz and Balakrishnan 1994, chapter 19"

    scale: Scalar = real(1, above=0)

    def stacy(self) -> tuple[Scalar, Scalar, Scalar]:
        return 1, 1, self.scale

    def mean(self) -> Scalar:
        return self.scale


@dataclass(frozen=True, kw_only=True)
class HalfNormal(GeneralizedGamma):
    """|X|, X ~ N(0, σ²), σ = `scale` > 0, nakagami(½, σ²): mean σ√(2/π), E[1/R] = ∞.

    φ(t) = erfc(t/σ√2) − t E₁(t²/2σ²)/σ√2π, with a slope of −∞ at zero.
    Reference: Johnson, Kotz and Balakrishnan 1994, chapter 13.
    """

    name: ClassVar[str] = "half_normal"
    formula: ClassVar[str] = "√(2/π) exp(−x²/2σ²) / σ"
    reference: ClassVar[str] = "Johnson, Kotz and Balakrishnan 1994, chapter 13"

    scale: Scalar = real(1, above=0)

    def stacy(self) -> tuple[Scalar, Scalar, Scalar]:
        return 0.5, 2, self.scale * square_root(2, self.scale)


@dataclass(frozen=True, kw_only=True)
class Nakagami(GeneralizedGamma):
    """The root of a gamma variable of shape m > 0 and mean Ω = `spread` > 0; with c = √(Ω/m): mean c Γ(m + ½)/Γ(m).

    φ(t) = Q(m, u²) − u Γ(m − ½, u²)/Γ(m), u = t/c; E[1/R] = Γ(m − ½)/cΓ(m) for m > ½.
    Reference: Nakagami 1960.
    """

    name: ClassVar[str] = "nakagami"
    formula: ClassVar[str] = "2 (m/Ω)^m x^{2m−1} exp(−mx²/Ω) / Γ(m)"
    reference: ClassVar[str] = "Nakagami 1960"

    shape: Scalar = real(above=0, at_most=MAX_SHAPE)
    spread: Scalar = real(1, above=0)

    def stacy(self) -> tuple[Scalar, Scalar, Scalar]:
        return self.shape, 2, square_root(self.spread / self.shape)


@dataclass(frozen=True, kw_only=True)
class Rayleigh(GeneralizedGamma):
    """The length of N(0, σ²I₂), σ = `scale` > 0, nakagami(1, 2σ²): mean σ√(π/2), E[1/R] = √(π/2)/σ.

    φ(t) = exp(−t²/2σ²) − √(π/2) (t/σ) erfc(t/σ√2).
    Reference: Johnson, Kotz and Balakrishnan 1994, chapter 18.
    """

    name: ClassVar[str] = "rayleigh"
    formula: ClassVar[str] = "x exp(−x²/2σ²) / σ²"
    reference: ClassVar[str] = "Johnson, Kotz and Balakrishnan 1994, chapter 18"

    scale: Scalar = real(1, above=0)

    def stacy(self) -> tuple[Scalar, Scalar, Scalar]:
        return 1, 2, self.scale * square_root(2, self.scale)


@dataclass(frozen=True, kw_only=True)
class Weibull(GeneralizedGamma):
    """λ E^{1/k}, E ~ Exp(1), k = `shape` > 0, λ = `scale` > 0: mean λΓ(1 + 1/k), E[1/R] = Γ(1 − 1/k)/λ for k > 1.

    φ(t) = exp(−u^k) − u Γ(1 − 1/k, u^k), u = t/λ. Reference: Johnson, Kotz and Balakrishnan 1994, chapter 21.
    """

    name: ClassVar[str] = "weibull"
    formula: ClassVar[str] = "(k/λ) (x/λ)^{k−1} exp(−(x/λ)^k)"
    reference: ClassVar[str] = "Johnson, Kotz and Balakrishnan 1994, chapter 21"

    shape: Scalar = real(at_least=1 / MAX_SHAPE, at_most=MAX_SHAPE)
    scale: Scalar = real(1, above=0)

    def stacy(self) -> tuple[Scalar, Scalar, Scalar]:
        return 1, self.shape, self.scale
