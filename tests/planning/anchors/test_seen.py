"""Values of the same rows, computed once."""

from __future__ import annotations

from kernelspec.planning.landmarks.landmarks import Seen
from kernelspec.random.streams import Stream
from tests.planning.anchors.kernels import POSITIONS, grid, rows, strata_of


def test_the_same_array_for_the_same_objects() -> None:
    (stratum,), x, seen = strata_of("gaussian()"), rows(3), Seen()
    assert seen.values(stratum, grid(x, x)) is seen.values(stratum, grid(x, x))
    assert seen.values(stratum, grid(x, rows(3))) is not seen.values(stratum, grid(x, x))
    (batch,) = stratum.law.draw(Stream(0), 4, POSITIONS)
    assert seen.amplitudes(batch, x, "left") is seen.amplitudes(batch, x, "left")
    assert seen.amplitudes(batch, x, "right") is not seen.amplitudes(batch, x, "left")
