"""What a plan is asked for: what contradicts itself is refused before anything is computed."""

from __future__ import annotations

from typing import Any

import pytest

from kernelspec.errors import PlanError
from kernelspec.planning.request import PlanRequest
from kernelspec.tables.layout import Layout
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
