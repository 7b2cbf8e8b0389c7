"""Products: independent samples, multiplied."""

from __future__ import annotations

import numpy as np

import kernelspec as ks
from kernelspec.laws.fourier import FourierSampler
from kernelspec.laws.product import ProductSampler
from kernelspec.measures.measure_of import measure_of
from kernelspec.random.streams import Stream
from kernelspec.samples.keys.match import MatchSampler
from kernelspec.testing.laboratory import assert_mean


def gaussian(*positions: int) -> FourierSampler:
    spec = ks.parse("gaussian()")
    return FourierSampler(measure_of(spec.kernel(spec.columns(len(positions)))), positions)


def test_frequencies_add() -> None:
    product = ProductSampler((gaussian(0, 1), gaussian(1, 2)))
    (batch,) = product.draw(Stream(2), 5)
    (first,), (second,) = (
        gaussian(0, 1).draw(Stream(2).child(0), 5),
        gaussian(1, 2).draw(Stream(2).child(1), 5),
    )
    assert batch.phasors is not None
    assert first.phasors is not None
    assert second.phasors is not None
    assert batch.phasors.columns == (0, 1, 2)
    assert np.array_equal(batch.phasors.frequencies[:, 0], first.phasors.frequencies[:, 0])
    assert np.array_equal(
        batch.phasors.frequencies[:, 1], first.phasors.frequencies[:, 1] + second.phasors.frequencies[:, 0]
    )


def test_a_power_draws_every_factor_anew() -> None:
    one = gaussian(0)
    (batch,) = ProductSampler((one,) * 3).draw(Stream(2), 20_000)
    assert batch.phasors is not None
    assert_mean(np.square(batch.phasors.frequencies), [3.0])  # of one draw, tripled, it would be 9


def test_keys_stand_side_by_side() -> None:
    (batch,) = ProductSampler((MatchSampler((0,)), gaussian(1), MatchSampler((2,)))).draw(Stream(0), 4)
    assert [key.columns for key in batch.keys] == [(0,), (2,)]
    assert batch.phasors is not None


def test_lines() -> None:
    one = gaussian(0)
    assert ProductSampler((one, one)).lines()[0] == "product of 2 independent draws of"
    lines = ProductSampler((one, MatchSampler((0,)))).lines()
    assert lines[0] == "product of"
    assert len(lines) == 3
