"""Products: independent samples, multiplied."""

from __future__ import annotations

import numpy as np

from kernelspec.kernels.leaves.comparisons import Match
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.laws.columns_and_lags import SelectedLaw
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.keys import MatchLaw
from kernelspec.laws.law import Law
from kernelspec.laws.product import ProductLaw
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_mean

COLUMNS = (0, 1, 2)


def gaussian(*positions: int) -> Law:
    return SelectedLaw(FourierLaw(Gaussian(dim=len(positions))), positions, 3)


def match(position: int) -> Law:
    return SelectedLaw(MatchLaw(Match(dim=1)), (position,), 3)


def test_frequencies_add() -> None:
    product = ProductLaw((gaussian(0, 1), gaussian(1, 2)))
    (batch,) = product.draw(Stream(2), 5, COLUMNS)
    (first,), (second,) = (
        gaussian(0, 1).draw(Stream(2).child(0), 5, COLUMNS),
        gaussian(1, 2).draw(Stream(2).child(1), 5, COLUMNS),
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
    (batch,) = ProductLaw((one,) * 3).draw(Stream(2), 20_000, COLUMNS)
    assert batch.phasors is not None
    assert_mean(np.square(batch.phasors.frequencies), [3.0])  # of one draw, tripled, it would be 9


def test_keys_stand_side_by_side() -> None:
    (batch,) = ProductLaw((match(0), gaussian(1), match(2))).draw(Stream(0), 4, COLUMNS)
    assert [key.columns for key in batch.keys] == [(0,), (2,)]
    assert batch.phasors is not None


def test_lines() -> None:
    one = gaussian(0)
    assert ProductLaw((one, one)).lines(COLUMNS)[0] == "product of 2 independent draws of"
    lines = ProductLaw((one, match(0))).lines(COLUMNS)
    assert lines[0] == "product of"
    assert len(lines) == 3
