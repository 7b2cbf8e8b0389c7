"""The standard tests fail for the mistakes that other libraries have made: negative controls."""

import mpmath as mp
import numpy as np
import pytest

from kernelspec.kernels.leaves.coordinatewise import Cauchy
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.radial import Exponential, Matern, RationalQuadratic
from tests.kernels import standard
from tests.kernels.standard import Case, euclidean, over_columns

SQRT3 = mp.sqrt(3)
MATERN = euclidean(lambda r: (1 + SQRT3 * r) * mp.exp(-SQRT3 * r))


class StudentPerCoordinate(Matern):
    """Every coordinate Student by itself: the product of one-dimensional Matérns."""

    def draw(self, stream, n):
        return stream.generator("t").standard_t(2 * self.nu, (n, self.dim)) / self.scale


class MaternOfTheAbsoluteSum(Matern):
    def numbers(self, pairs):
        return self.profile(pairs.absolute_sum())


class ForgottenTwo(RationalQuadratic):
    """τ without the factor that makes (1 + r²/2α)^{−α} of (1 + r²/α)^{−α}."""

    def draw_variance(self, stream, n):
        return 2 * super().draw_variance(stream, n)


class RateForScale(Cauchy):
    def draw_coordinates(self, stream, shape):
        return super().draw_coordinates(stream, shape) * self.scale**2


class OneGeneratorForTwoArrays(Exponential):
    def draw(self, stream, n):
        generator = stream.generator("all")
        return generator.standard_normal((n, self.dim)) / np.abs(generator.standard_normal((n, 1))) / self.scale


class NormalisedInOneDimension(Gaussian):
    def radial_density(self, radius, dim):
        return super().radial_density(radius, 1)


class OneSided(Gaussian):
    def draw(self, stream, n):
        return np.abs(super().draw(stream, n))


class VarianceOfTheScale(Gaussian):
    def frequency_variance(self):
        return self.scale**2


CONTROLS = [
    ("draws", lambda d: StudentPerCoordinate(nu=1.5, scale=1.0, dim=d), MATERN),
    ("relative_values", lambda d: MaternOfTheAbsoluteSum(nu=1.5, scale=1.0, dim=d), MATERN),
    ("draws", lambda d: ForgottenTwo(alpha=1.0, scale=1.0, dim=d), euclidean(lambda r: 1 / (1 + r**2 / 2))),
    ("draws", lambda d: RateForScale(scale=1.3, dim=d), over_columns(lambda t: 1 / (1 + (t / mp.mpf(1.3)) ** 2))),
    ("prefix", lambda d: OneGeneratorForTwoArrays(scale=1.0, dim=d), euclidean(lambda r: mp.exp(-r))),
    ("density_in_several_dimensions", lambda d: NormalisedInOneDimension(scale=1.3, dim=d), None),
    ("draws", lambda d: OneSided(scale=1.0, dim=d), euclidean(lambda r: mp.exp(-(r**2) / 2))),
    ("second_moment", lambda d: VarianceOfTheScale(scale=2.0, dim=d), euclidean(lambda r: mp.exp(-(r**2) / 8))),
]


@pytest.mark.parametrize(("check", "factory", "oracle"), CONTROLS, ids=[type(c[1](1)).__name__ for c in CONTROLS])
def test_a_known_mistake_is_caught(check, factory, oracle):
    with pytest.raises(AssertionError):
        getattr(standard, check)(Case("wrong", factory, oracle))


def test_a_student_law_per_coordinate_is_right_in_one_dimension_only():
    one = Case("wrong", lambda d: StudentPerCoordinate(nu=1.5, scale=1.0, dim=d), MATERN, dims=(1,))
    standard.draws(one)
