"""Tests of `planning/request.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.planning.request import SeenData
from kernelspec.tables.rows import Rows


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "paired", "published": ks.Published(normalized=True)}, "normalized=True divides features with"),
        ({"draws": "sobol", "storage": "sparse"}, "storage='sparse' is for samples that are drawn independently"),
        ({"draws": "sobol", "published": ks.Published(normalized=True)}, "normalized=True is for samples"),
        ({"method": "landmarks"}, "chooses rows of the data: give data="),
        ({"method": "landmarks", "landmarks": "never"}, "keeps rows of the data, which landmarks='never' forbids"),
    ],
)
def test_contradictions(options: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError) as raised:
        ks.compile("gaussian()", dim=2, **options)
    assert message in str(raised.value)


ROWS = Rows(np.column_stack([np.random.default_rng(0).standard_normal(40), np.arange(40) % 5]))
TEXT = "gaussian()[0] * match()[1] + match()[1]"


@pytest.mark.slow
def test_categories_come_from_all_blocks_and_the_plan_from_the_rows() -> None:
    whole = ks.compile(TEXT, dim=2, data=ROWS, n_features=32)
    pieces = SeenData(ROWS, [block for _, block in ROWS.blocks(7)])
    assert ks.compile(TEXT, dim=2, data=pieces, n_features=32).plan == whole.plan
    unplanned = ks.compile(TEXT, dim=2, data=SeenData(None, [ROWS]), n_features=32)
    assert unplanned.plan.reference.endswith("(no data given)")
    assert [len(stratum.known or ()) for stratum in unplanned.plan.strata] == [5, 5]


def test_columns_of_every_key_come_from_all_blocks() -> None:
    text = "laplace()[0] * match()[1]"
    whole = ks.compile(text, dim=2, data=ROWS, n_features=8, method="binning", keys="exact")
    pieces = SeenData(ROWS, [block for _, block in ROWS.blocks(7)])
    again = ks.compile(text, dim=2, data=pieces, n_features=8, method="binning", keys="exact")
    assert (whole.transform(ROWS) != again.transform(ROWS)).nnz == 0  # type: ignore[union-attr]
    assert whole.count_unmet(ROWS) == 0
