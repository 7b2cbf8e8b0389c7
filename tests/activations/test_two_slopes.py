"""What relu, leaky relu and the absolute value share: the law of their degrees."""

import numpy as np
import pytest

from kernelspec.activations.rectifiers import Abs, LeakyRelu, Relu, TwoSlopes
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_proportions

LAWS = [Relu(), Abs(), LeakyRelu(slope=-0.4)]


@pytest.mark.long
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_large_degrees_are_as_frequent_as_they_should_be(law: TwoSlopes) -> None:
    levels = [10, 100, 1000, 10_000]
    below = np.cumsum(law.coefficient(np.arange(levels[-1] + 1)))[levels]
    drawn = law.draw_degrees(Stream(3), 2_000_000)
    counts = np.histogram(drawn, [0, *(level + 1 for level in levels), 2**62 + 1])[0]
    assert_proportions(counts, np.diff([0.0, *below, 1.0]), budget=1e-8)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_weights_near_one_and_zero(law: TwoSlopes) -> None:
    for weight in (1e-9, 1 - 1e-6):
        degrees = np.arange(2000)
        chances = law.coefficient(degrees) * weight**degrees / law.dual_absolute(np.array(weight))
        counts = np.bincount(np.minimum(law.draw_degrees(Stream(8), 300_000, weight), 2000), minlength=2001)
        assert_proportions(counts, np.append(chances, max(0.0, 1 - chances.sum())), budget=1e-8)


def test_shares_sum_to_one() -> None:
    for slope in (-3.0, 0.0, 0.01, 1e100):
        assert sum(LeakyRelu(slope=slope).shares()) == pytest.approx(1, abs=1e-15)
