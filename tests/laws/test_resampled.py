"""A kernel that is sampled in another way is the same kernel."""

from __future__ import annotations

import numpy as np
import pytest
from kernelspec.laws.resampled import Resampled

import kernelspec as ks
from kernelspec.errors import NotStationaryError
from kernelspec.kernels.kernel import Kernel
from kernelspec.measures.measure_of import measure_of
from kernelspec.notation.pairs import NumericPairs
from kernelspec.tables.rows import Rows

X = np.random.default_rng(0).standard_normal((6, 2))
UNIT = X / np.linalg.norm(X, axis=1, keepdims=True)


def resampled(text: str) -> list[tuple[Kernel, Resampled]]:
    spec = ks.parse(text)
    kernel = spec.kernel(spec.columns(2))
    found = [(kernel, other) for other in kernel.alternatives().values() if isinstance(other, Resampled)]
    assert found
    return found


@pytest.mark.parametrize("text", ["laplace(scale=2)", "linear()", "sphere()", "dual(relu, sphere())", "match()"])
def test_everything_but_samples_is_that_of_the_base(text: str) -> None:
    pairs = NumericPairs(Rows(UNIT), Rows(UNIT))
    for kernel, other in resampled(text):
        np.testing.assert_array_equal(other.value(pairs), kernel.value(pairs))
        assert str(other) == str(kernel)
        assert other.verdict() == kernel.verdict()
        assert other.is_stationary == kernel.is_stationary
        assert not other.is_fourier
        assert other.magnitude() == kernel.magnitude()
        assert other.has_constant_diagonal == kernel.has_constant_diagonal
        if kernel.has_constant_diagonal:
            assert other.diagonal() == kernel.diagonal()
        assert other.sampler((0, 1)) != kernel.sampler((0, 1))
        if kernel.is_stationary:
            assert measure_of(other).total_mass() == measure_of(kernel).total_mass()
        else:
            with pytest.raises(NotStationaryError):
                measure_of(other)


def test_second_moments_hold_the_mean() -> None:
    # E p² is never less than (E p)²
    for text in ("laplace(scale=2)", "linear()", "dual(relu, sphere())", "match()"):
        pairs = NumericPairs(Rows(UNIT), Rows(UNIT))
        for kernel, other in resampled(text):
            second = np.asarray(other.moments(pairs).paired(), dtype=float)
            assert (second - np.square(np.asarray(kernel.value(pairs), dtype=float)) >= -1e-12).all()
