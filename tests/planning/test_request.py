"""Tests of `planning/request.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.planning.request import PlanRequest, SeenData
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows
from tests.laws.texts import kernel_of


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "fourier"}, "there is no method 'fourier': use one of auto, paired, phase"),
        ({"method": "paired", "normalized": True}, "normalized=True divides features with random offsets"),
        ({"draws": "halton"}, "there are no draws 'halton'"),
        ({"draws": "sobol", "storage": "sparse"}, "storage='sparse' is for samples that are drawn independently"),
        ({"draws": "sobol", "normalized": True}, "normalized=True is for samples that are drawn independently"),
        ({"method": "anchored"}, "chooses rows of the data: give data="),
    ],
)
def test_contradictions(options: dict[str, Any], message: str) -> None:
    layout = Layout(2, None, (0, 1), ())
    PlanRequest(text="", values=(), kernel=kernel_of("gaussian()", 2), layout=layout, seed=0).check()
    with pytest.raises(PlanError) as raised:
        PlanRequest(text="", values=(), kernel=kernel_of("gaussian()", 2), layout=layout, seed=0, **options).check()
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
