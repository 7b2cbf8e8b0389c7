"""The estimators of rbf_cosine() beside each other."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from tests.maps.parts import there_and_back

X = np.random.default_rng(0).standard_normal((40, 3)) + np.array([2.0, 0.0, 0.0])


def test_four_estimators_at_one_budget() -> None:
    fmap = ks.compile("rbf_cosine(gamma=2)", dim=3, n_features=64, data=X, draws="independent", anchors="never")
    notes = fmap.plan.notes
    assert len(notes) == 5
    shown = {note.split(", ", 1)[1].rsplit(": ", 1)[0]: float(note.rsplit(": ", 1)[1]) for note in notes[:4]}
    assert shown["pairs of cosine and sine"] == pytest.approx(fmap.plan.chosen.variance**0.5, rel=0.01)
    phase = ks.compile(
        "rbf_cosine(gamma=2)", dim=3, n_features=64, data=X, method="phase", draws="independent"
    ).plan.chosen.variance
    normalized = ks.compile(
        "rbf_cosine(gamma=2)", dim=3, n_features=64, data=X, published=ks.Published(normalized=True)
    ).plan.chosen.variance
    assert shown["random offsets [Li 2017, theorem 2.1]"] == pytest.approx(phase**0.5, rel=0.01)
    assert shown["normalized=True, biased [theorem 2.2]"] == pytest.approx(normalized**0.5, rel=0.01)
    assert notes[4].split(": ")[1].split(";")[0] == min(shown, key=shown.__getitem__)
    for note in notes:
        assert f"\n  {note}\n" in fmap.explain()
    assert there_and_back(fmap.plan) == fmap.plan


def test_other_kernels_have_no_notes() -> None:
    for text in ("gaussian()", "rbf_cosine() + gaussian()", "rbf_cosine() * gaussian()"):
        assert ks.compile(text, dim=3).plan.notes == ()
