"""The terms of a sum whose densities can be compared: independent columns, or a function of the radius."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from kernelspec.distributions.gamma_family import Gamma
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.bochner import Bochner
from kernelspec.kernels.leaves.coordinatewise import Cauchy, Laplace, Sinc, Triangle
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.polya import Polya
from kernelspec.kernels.leaves.radial import Exponential, Matern, PoweredExponential, RationalQuadratic
from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch
from kernelspec.kernels.nodes.product import Product
from kernelspec.verdicts.falling import Bessel, Falling

__all__ = ["Band", "Factor", "Fejer", "Logarithms", "ProductLaw", "RadialLaw", "SpectralLaw", "law_of_kernel", "number"]

_LARGEST_SHAPE = 100
"""Of a rational quadratic kernel: Bessel functions of its order take as many steps."""

DIGITS = 30


@dataclass(frozen=True)
class Band:
    """The uniform density on [−b, b]."""

    width: Any

    def stretched(self, factor: Any) -> Band:
        """That of f(at)."""
        return Band(self.width * abs(factor))

    def density(self, omega: Any) -> Any:
        """p(ω)."""
        return 1 / (2 * self.width) if abs(omega) <= self.width else 0 * self.width


@dataclass(frozen=True)
class Fejer:
    """The density (1 − cos cω)/πcω² of a triangle of width c."""

    width: Any

    def stretched(self, factor: Any) -> Fejer:
        """That of f(at)."""
        return Fejer(self.width / abs(factor))

    def density(self, omega: Any) -> Any:
        """p(ω)."""
        import mpmath as mp

        half = self.width * omega / 2
        wave = mp.sin(half) / half if half else mp.mpf(1)
        return self.width / (2 * mp.pi) * wave**2

    @property
    def above(self) -> Falling:
        """(c/2π)/(1 + c²ω²/12), which is nowhere smaller: x²/sin²x ≥ 1 + x²/3."""
        import mpmath as mp

        return Falling(mp.log(self.width / (2 * mp.pi)), ((mp.mpf(1), self.width**2 / 12),))


Factor = Falling | Band | Fejer

Logarithms = dict[tuple[int, Any], Any]
"""log p of factors, by their identity, at numbers: for as long as the factors live and the precision is one."""


@dataclass(frozen=True)
class ProductLaw:
    """Independent coordinates, each with a density of its own, on the `columns` given."""

    columns: tuple[int, ...]
    factors: tuple[Factor, ...]

    def log(self, omega: list[Any], known: Logarithms | None = None) -> Any:
        """log p at a frequency, one number for every column; −∞ where p is 0.

        What is `known` from other frequencies is not computed again, and what is new is entered there: mostly there is
        one density, at few numbers.
        """
        known = {} if known is None else known
        total = 0
        for factor, w in zip(self.factors, omega, strict=True):
            key = id(factor), w
            if key not in known:
                known[key] = _log(factor, w)
            total += known[key]
        return total


@dataclass(frozen=True)
class RadialLaw:
    """A function of ‖ω‖² on the `columns` given."""

    columns: tuple[int, ...]
    profile: Falling

    def log(self, omega: list[Any], known: Logarithms | None = None) -> Any:
        """log p at a frequency; see `ProductLaw.log`."""
        known, square = {} if known is None else known, sum(w * w for w in omega)
        key = id(self.profile), square
        if key not in known:
            known[key] = self.profile.log(square)
        return known[key]


SpectralLaw = ProductLaw | RadialLaw


def number(value: Any) -> Any:
    """An exact number, a float or a SymPy number, in mpmath. Raises TypeError or ValueError for a symbol."""
    import mpmath as mp
    import sympy

    exact = sympy.S(value)
    if not exact.is_number:
        raise TypeError(f"{value} is no number")
    return mp.mpf(str(exact.evalf(DIGITS + 10)))


def law_of_kernel(kernel: Kernel, columns: tuple[int, ...]) -> SpectralLaw | None:
    """The law of the frequencies of a kernel on some columns; None where its density is not one of these.

    To be called with 30 digits. Raises TypeError where a parameter is a symbol.
    """
    match kernel:
        case Bochner():
            return _of_bochner(kernel, columns)
        case Polya(law=Gamma(shape=2, scale=scale)):
            return law_of_kernel(Laplace(scale=scale, dim=kernel.dim), columns)
        case PoweredExponential() if kernel.alpha == 1:
            return law_of_kernel(Exponential(scale=kernel.scale, dim=kernel.dim), columns)
        case Gaussian() | Laplace() | Cauchy() | Triangle() | Sinc():
            return ProductLaw(columns, (_on_line(kernel),) * len(columns))
        case RationalQuadratic(alpha=alpha) if alpha > _LARGEST_SHAPE:
            return None
        case Matern() | Exponential() | RationalQuadratic():
            return _simplest(RadialLaw(columns, _radial(kernel, len(columns))))
        case Select():
            return law_of_kernel(kernel.base, tuple(columns[i] for i in kernel.positions))
        case Stretch() if not kernel.is_matrix:
            return _stretched(law_of_kernel(kernel.base, columns), kernel.matrix)
        case Product():
            parts = [law_of_kernel(factor, columns) for factor in kernel.factors]
            return reduce(_joined, parts[1:], parts[0])
    return None


def _of_bochner(kernel: Bochner, columns: tuple[int, ...]) -> SpectralLaw | None:
    """The laws of which other kernels of the catalogue have their frequencies."""
    from kernelspec.distributions import symmetric as cauchy
    from kernelspec.distributions import symmetric as gaussian
    from kernelspec.distributions import symmetric as laplace
    from kernelspec.distributions import symmetric as student_t

    law, dim = kernel.distribution, kernel.dim
    single = len(columns) == 1 or not kernel.isotropic
    named: Kernel
    match law:
        case gaussian.Gaussian():
            named = Gaussian(scale=1 / law.scale, dim=dim)
        case cauchy.Cauchy() if single:
            named = Laplace(scale=1 / law.scale, dim=dim)
        case cauchy.Cauchy():
            named = Exponential(scale=1 / law.scale, dim=dim)
        case laplace.Laplace() if single:
            named = Cauchy(scale=1 / law.scale, dim=dim)
        case student_t.StudentT() if kernel.isotropic or len(columns) == 1:
            named = Matern(nu=law.dof / 2, scale=1 / law.scale, dim=dim)
        case student_t.StudentT():
            line = _radial(Matern(nu=law.dof / 2, scale=1 / law.scale, dim=1), 1)
            return ProductLaw(columns, (line,) * len(columns))
        case _:
            return None
    return law_of_kernel(named, columns)


def _on_line(kernel: Gaussian | Laplace | Cauchy | Triangle | Sinc) -> Factor:
    import mpmath as mp

    match kernel:
        case Gaussian():
            scale = number(kernel.scale)
            return Falling(mp.log(scale / mp.sqrt(2 * mp.pi)), line=scale**2 / 2)
        case Laplace():
            scale = number(kernel.scale)
            return Falling(mp.log(scale / mp.pi), ((mp.mpf(1), scale**2),))
        case Cauchy():
            scale = number(kernel.scale)
            return Falling(mp.log(scale / 2), root=scale)
        case Triangle():
            return Fejer(number(kernel.width))
    return Band(number(kernel.bandwidth))


def _radial(kernel: Matern | Exponential | RationalQuadratic, dim: int) -> Falling:
    import mpmath as mp

    half, scale = mp.mpf(dim) / 2, number(kernel.scale)
    if isinstance(kernel, RationalQuadratic):
        alpha = number(kernel.alpha)
        constant = half * mp.log(alpha * scale**2 / (2 * mp.pi))
        return Falling(constant, bessel=Bessel(alpha, alpha - half, mp.sqrt(2 * alpha) * scale))
    nu = number(kernel.nu) if isinstance(kernel, Matern) else mp.mpf(1) / 2
    rate = scale**2 / (2 * nu)
    constant = mp.loggamma(nu + half) - mp.loggamma(nu) + half * mp.log(rate / mp.pi)
    return Falling(constant, ((nu + half, rate),))


def _simplest(law: RadialLaw) -> SpectralLaw:
    return ProductLaw(law.columns, (law.profile,)) if len(law.columns) == 1 else law


def _stretched(law: SpectralLaw | None, matrix: Any) -> SpectralLaw | None:
    if isinstance(law, RadialLaw):
        if isinstance(matrix, tuple) and len(set(matrix)) > 1:
            return None
        factor = number(matrix[0] if isinstance(matrix, tuple) else matrix)
        return replace(law, profile=law.profile.stretched(factor, len(law.columns))) if factor else None
    if law is None:
        return None
    entries = [number(entry) for entry in (matrix if isinstance(matrix, tuple) else (matrix,) * len(law.columns))]
    if 0 in entries or len(entries) != len(law.columns):
        return None
    moved = [
        factor.stretched(entry, 1) if isinstance(factor, Falling) else factor.stretched(entry)
        for factor, entry in zip(law.factors, entries, strict=True)
    ]
    return ProductLaw(law.columns, tuple(moved))


def _joined(left: SpectralLaw | None, right: SpectralLaw | None) -> SpectralLaw | None:
    """The law of a product of kernels on different columns."""
    if not isinstance(left, ProductLaw) or not isinstance(right, ProductLaw) or set(left.columns) & set(right.columns):
        return None
    pairs = sorted(
        zip((*left.columns, *right.columns), (*left.factors, *right.factors), strict=True), key=lambda pair: pair[0]
    )
    return ProductLaw(tuple(column for column, _ in pairs), tuple(factor for _, factor in pairs))


def _log(factor: Factor, omega: Any) -> Any:
    import mpmath as mp

    if isinstance(factor, Falling):
        return factor.log(omega * omega)
    value = factor.density(omega)
    return mp.log(value) if value > 0 else -mp.inf
