"""What candidates take: against the features of the maps that are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kernelspec as ks

X = np.column_stack([np.random.default_rng(0).uniform(0, 1, (60, 3)), np.arange(60) % 4])


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("gaussian()", {}),
        ("gaussian()", {"method": "phase"}),
        ("gaussian()", {"method": "complex"}),
        ("gaussian()[0:3] + 0.5*match()[3]", {}),
        ("gaussian()[0:3] * match()[3]", {}),
        ("gaussian()[0:3] * match()[3]", {"storage": "dense"}),
        ("minmax()", {}),
        ("minmax()", {"keys": "bits", "bits": 3}),
        ("gaussian()", {"method": "anchored"}),
        ("gaussian()", {"method": "nystrom"}),
    ],
)
def test_entries_and_columns_are_those_of_the_map(text: str, options: dict[str, Any]) -> None:
    fmap = ks.compile(text, data=X, n_features=24, **options)
    chosen = fmap.plan.chosen
    assert chosen.columns == fmap.n_columns
    features = fmap.transform(X)
    stored = features.nnz / len(X) if fmap.plan.chosen.is_sparse and options.get("storage") != "dense" else None
    # one column that all keys share is for `approximate` alone, and complex entries are two
    width = features.shape[1] * (2 if options.get("method") == "complex" else 1)
    assert chosen.entries == (width if stored is None else round(stored))


def test_every_candidate_says_what_it_takes() -> None:
    found = ks.compile("gaussian(scale=2)", data=X, n_features=24).plan.to_dict()
    for one in (found, *found["alternatives"]):
        assert 0 < one["columns_of_features"] <= one["stored_entries"] <= 24
    learnt = ks.compile("minmax()", dim=3, n_features=24, keys="exact").plan.to_dict()
    assert learnt["stored_entries"] == 24
    assert learnt["columns_of_features"] is None
