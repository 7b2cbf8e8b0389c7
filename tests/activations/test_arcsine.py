"""What steps, signs and error functions share."""

from typing import cast

import numpy as np
import pytest

from kernelspec.activations.steps import Arcsine, Erf, Sign, Step
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_proportions

LAWS = [Step(), Sign(), Erf(scale=30.0), Erf(scale=0.05)]


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_at_the_radius_all_degrees_are_those_of_steps_or_signs(law: Arcsine) -> None:
    same = Step() if law == Step() else Sign()
    chances = same.coefficient(np.arange(2000))
    drawn = law.draw_degrees(Stream(8), 300_000, float(law.radius()))
    counts = np.bincount(np.minimum(drawn, 2000), minlength=2001)
    assert_proportions(counts, np.append(chances, 1 - chances.sum()), budget=1e-8)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_at_small_weights_the_lowest_degree(law: Arcsine) -> None:
    assert (law.draw_degrees(Stream(8), 1000, 1e-12) == (0 if law == Step() else 1)).all()


def test_double_factorials() -> None:
    """a_{2m+1} = (2m)!/(π 4^m (m!)² (2m + 1)) for the step."""
    expected = [1 / np.pi, 1 / (6 * np.pi), 3 / (40 * np.pi), 5 / (112 * np.pi)]
    assert Step().coefficient(np.array([1, 3, 5, 7])) == pytest.approx(expected, rel=1e-15)


class Extreme:
    """Uniform numbers that are accepted and give first returns of about 1/πu²."""

    def uniforms(self, purpose: str, shape: tuple[int, ...]) -> np.ndarray:
        del purpose
        found = np.array([[1e-9, 0.9, u] for u in TAILS])
        assert found.shape == shape
        return found


TAILS = [1e-6, 1e-9, 2e-9, 3e-9, 2.0**-53]


def test_odd_degrees_stay_odd_where_floats_are_even() -> None:
    drawn = Sign().draw_degrees(cast(Stream, Extreme()), len(TAILS))
    assert (drawn % 2 == 1).all()
    assert drawn[1] > 2**53
    assert drawn.tolist()[:4] == pytest.approx([2 / (np.pi * u**2) for u in TAILS[:4]], rel=1e-9)
    assert drawn[4] == 2**62 - 1
