"""A form of a later version refuses every question, where it stands."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
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
    kernel = Unavailable(dim=2, form="radial")
    with pytest.raises(NotAvailableYet, match=r"radial\(\) is in the language"):
        question(kernel)
    assert not kernel.is_stationary


@pytest.mark.parametrize(
    "text", ["radial(r -> exp(-r)) ** 2", "normalize(radial(r -> 1/(1 + r)))", "2*radial(r -> exp(-r**2))[0:2]"]
)
def test_it_parses_anywhere_and_is_pointed_at(text: str) -> None:
    spec = ks.parse(text)
    for ask in (lambda: spec.gram(np.zeros((2, 3))), lambda: ks.analyze(spec, dim=3)):
        with pytest.raises(NotAvailableYet) as caught:
            ask()
        assert caught.value.span is not None
        assert caught.value.span.text.startswith("radial(")
