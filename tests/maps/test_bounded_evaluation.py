"""Features that take memory of a bounded number of rows on the way, whatever the size of the table."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.maps import evaluation as bounded_evaluation
from kernelspec.maps.evaluation import rows_evaluated_at_a_time
from kernelspec.tables import pieces
from tests.maps.test_table_features import ROWS, map_of


@pytest.mark.parametrize(
    ("text", "options", "side", "expected"),
    [
        ("gaussian()", {}, None, None),
        ("gaussian()", {"draws": "hadamard"}, None, None),
        ("laplace()", {"method": "binning"}, None, None),
        ("match()", {"keys": "bits"}, "left", None),
        ("match()", {"keys": "bits"}, None, 2**26 // (40 * 64 + 96 + 16 * 9)),
        ("match()*gaussian()", {}, None, 2**26 // (40 * 64 + 96 + 16 * 8)),
        ("match()-laplace()", {"method": "binning"}, "both", 2**26 // (40 * 64 + 96 + 96 * 8)),
        ("gaussian()", {"storage": "sparse"}, None, 2**26 // (40 * 64 + 96 + 96 * 8)),
        ("gaussian()", {}, "both", 2**26 // (40 * 64 + 32 * 8)),
        ("rbf_cosine()", {}, None, 2**26 // (40 * 64 + 32 * 8)),
        ("dual(exp(c=1/4), normalize(linear()))", {"method": "phase"}, None, 2**26 // (40 * 64 + 32 * 8)),
    ],
)
def test_rows_at_a_time(text: str, options: dict[str, Any], side: Any, expected: int | None) -> None:
    assert rows_evaluated_at_a_time(ks.compile(text, dim=64, n_features=8, **options), 64, side) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "side", "kind"),
    [
        ("rbf_cosine()", None, "f8"),
        ("gaussian()-gaussian(scale=2)", "both", "f8"),
        ("dual(exp(c=1/4), normalize(linear()))", None, "f4"),
        ("gaussian()", None, "i4"),
        ("gaussian()", None, ">f4"),
    ],
)
def test_nothing_of_the_size_of_the_table_is_made(
    monkeypatch: pytest.MonkeyPatch, text: str, side: Any, kind: str
) -> None:
    monkeypatch.setattr(bounded_evaluation, "_BYTES", 2**20)
    monkeypatch.setattr(pieces, "_BYTES", 2**18)
    fmap, rows = map_of(text), (100 * np.tile(ROWS, (100, 1))).astype(kind)
    out = fmap.transform(rows, side=side)
    tracemalloc.start()
    try:
        fmap.transform(rows, side=side, out=out)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1.5 * 2**20 < rows.size * 8 / 2
