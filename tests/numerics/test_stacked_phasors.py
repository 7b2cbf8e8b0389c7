"""Several kinds of frequencies in one map: each as alone, in its columns."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from kernelspec.numerics.distances import pack_weights
from kernelspec.numerics.packed import pack_hadamard, pack_phasors
from kernelspec.numerics.phasor import Form, PlacedPhasors, evaluate_phasors, evaluate_stacked, width

FORMS: tuple[Form, ...] = ("paired", "phase", "complex")


def parts(form: Form) -> list[PlacedPhasors]:
    generator, kind = np.random.default_rng(0), np.dtype(np.float64)
    signs, places = generator.choice([-1.0, 1.0], (1, 3, 64)), np.arange(69, 9, -1)
    structured = pack_hadamard(signs, np.ones(50), np.ones(60), generator.random(50), np.ones(50), form, kind)
    stored = pack_phasors(pack_weights(generator.random((7, 70)), kind), generator.random(7), np.ones(7), form)
    return [(None, stored), (places, structured)]


def features(form: Form, own: list[PlacedPhasors], rows: object) -> np.ndarray:
    n = sum(phasors.n for _, phasors in own)
    out = np.full((40, width(form, n)), np.nan, dtype=complex if form == "complex" else float)
    assert evaluate_stacked(40, lambda start, stop: rows[start:stop], own, out)  # type: ignore[index]
    return out


@pytest.mark.parametrize("form", FORMS)
def test_parts_stand_beside_each_other(form: Form) -> None:
    rows, own = np.random.default_rng(1).standard_normal((40, 70)), parts(form)
    whole, halves = features(form, own, rows), []
    for places, phasors in own:
        alone, given = np.empty((40, width(form, phasors.n)), whole.dtype), rows if places is None else rows[:, places]
        evaluate_phasors(40, lambda start, stop, given=given: given[start:stop], phasors, alone)  # type: ignore[misc]
        assert np.array_equal(features(form, [(places, phasors)], rows), alone)
        halves.append(np.split(alone, 2, axis=1) if form == "paired" else [alone])
    assert np.array_equal(whole, np.hstack([side for sides in zip(*halves, strict=True) for side in sides]))
    assert np.array_equal(features(form, own, csr_array(rows)), whole)
