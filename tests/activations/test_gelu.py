"""The Gaussian error linear unit."""

import numpy as np
import pytest
import scipy.special

from kernelspec.activations.analytic import Gelu
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_proportions
from tests.activations.standard import standard_activation_tests

test_standard = standard_activation_tests([(Gelu(), lambda x: x * scipy.special.ndtr(x))])


def test_its_odd_part_is_half_the_identity() -> None:
    rho = np.linspace(-1, 1, 51)
    odd = (Gelu().dual(rho) - Gelu().dual(-rho)) / 2
    np.testing.assert_allclose(odd, rho * Gelu().coefficient(np.array(1)), atol=1e-15)


@pytest.mark.long
@pytest.mark.parametrize("weight", [1.5, 1.98])
def test_degrees_near_the_radius(weight: float) -> None:
    degrees = np.arange(1000)
    chances = Gelu().coefficient(degrees) * weight ** degrees.astype(float) / Gelu().dual_absolute(np.array(weight))
    drawn = Gelu().draw_degrees(Stream(5), 1_000_000, weight)
    counts = np.bincount(np.minimum(drawn, 1000), minlength=1001)
    assert_proportions(counts, np.append(chances, max(0.0, 1 - chances.sum())), budget=1e-8)
    # and the mean, m σ̂′(m)/σ̂(m), by central differences
    step = 1e-5
    above, below = Gelu().dual_absolute(np.array([weight + step, weight - step]))
    mean = weight * (above - below) / (2 * step) / float(Gelu().dual_absolute(np.array(weight)))
    assert drawn.mean() == pytest.approx(mean, abs=6 * drawn.std() / 1000 + 1e-5)
