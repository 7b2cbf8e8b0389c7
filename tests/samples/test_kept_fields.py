"""What parts of maps keep is not sent to other processes, and made again there."""

from __future__ import annotations

import pickle
from dataclasses import fields

import numpy as np
import pytest

import kernelspec as ks


@pytest.mark.parametrize(
    "text",
    [
        "gaussian()",
        "tilt(laplace(), by=1/100)",
        "dual(relu, normalize(linear()))",
        "match()[0] * gaussian()[1:40] * minmax()[40]",
    ],
)
def test_pickles_hold_fields_alone(text: str) -> None:
    fmap = ks.compile(text, dim=41, n_features=2048, method="auto" if "dual" not in text else "neurons")
    rows = np.random.default_rng(0).standard_normal((5, 41))
    before = len(pickle.dumps(fmap))
    features = fmap.left(rows)
    assert len(pickle.dumps(fmap)) < before + 1000  # the frequencies alone have more than 300,000 bytes
    again = pickle.loads(pickle.dumps(fmap)).left(rows)
    assert np.array_equal(*(one if isinstance(one, np.ndarray) else one.toarray() for one in (features, again)))


def test_what_is_kept_is_made_once() -> None:
    fmap = ks.compile("dual(relu, normalize(linear()))", dim=20, n_features=512, method="neurons")
    rows = np.random.default_rng(0).standard_normal((50, 20))
    assert fmap.dense is not None
    (factor,) = (placed.factor for placed in fmap.dense.amplitudes)
    fmap.transform(rows)
    kept = {name: own for name, own in vars(factor).items() if name not in {field.name for field in fields(factor)}}
    assert kept
    fmap.transform(rows[:3])
    assert all(vars(factor)[name] is own for name, own in kept.items())
