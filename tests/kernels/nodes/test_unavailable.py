"""A form of a later version refuses every question, where it stands."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.errors import NotAvailableYet
from kernelspec.kernels.nodes.unavailable import Unavailable
from kernelspec.measures.measure_of import measure_of
from kernelspec.notation.pairs import NumericPairs


@pytest.mark.parametrize(
    "question",
    [
        lambda k: k.value(NumericPairs.of_vectors(np.zeros((1, 2)))),
        lambda k: k.verdict(),
        measure_of,
    ],
)
def test_every_question(question: object) -> None:
    kernel = Unavailable(dim=2, form="full")
    with pytest.raises(NotAvailableYet, match=r"full\(\) is in the language"):
        question(kernel)
    assert not kernel.is_stationary
