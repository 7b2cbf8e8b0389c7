"""The contract of every law: batches that partition the samples, the first n whatever comes after them."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.laws.law import Law
from kernelspec.maps.draw import _joined
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import Samples
from tests.laws.texts import law

SPECS = [
    "gaussian()",
    "match()",
    "gaussian()[0] * match()[1]",
    "(2 * gaussian() + match()[0] + laplace() * match()[1]) * match()[2]",
    "(gaussian() - 0.5 * laplace()) ** 3",
    "stretch(cauchy(), [1, 2, 3]) * cosine(2)",
]


COLUMNS = (0, 1, 2)


def law_of_three(text: str) -> Law:
    return law(text, 3)


def arrays(batch: Samples) -> list[np.ndarray]:
    phasors = [] if batch.phasors is None else [batch.phasors.frequencies, batch.phasors.left, batch.phasors.right]
    return [batch.weight, batch.sign, *phasors]


@pytest.mark.parametrize("text", SPECS)
def test_batches_partition_the_samples(text: str) -> None:
    for n in (0, 1, 2, 50):
        batches = law_of_three(text).draw(Stream(1), n, COLUMNS)
        found = np.concatenate([batch.index for batch in batches]) if batches else np.empty(0)
        assert sorted(found) == list(range(n))
        for batch in batches:
            assert all(len(array) == len(batch) for array in arrays(batch))
            assert (batch.weight > 0).all()
            assert set(batch.sign) <= {-1.0, 1.0}


@pytest.mark.parametrize("text", SPECS)
def test_the_first_samples_do_not_depend_on_the_number(text: str) -> None:
    many = {batch.structure: batch for batch in law_of_three(text).draw(Stream(7, (3,)), 90, COLUMNS)}
    for batch in law_of_three(text).draw(Stream(7, (3,)), 33, COLUMNS):
        kept = many[batch.structure].take(np.flatnonzero(many[batch.structure].index < 33))
        assert np.array_equal(kept.index, batch.index)
        for got, expected in zip(arrays(kept), arrays(batch), strict=True):
            assert np.array_equal(got, expected)


@pytest.mark.parametrize("text", SPECS)
def test_what_a_law_says_of_its_samples(text: str) -> None:
    own = law_of_three(text)
    batches = own.draw(Stream(0), 64, COLUMNS)
    assert own.has_phasor == any(batch.phasors is not None for batch in batches)
    assert own.has_key == any(batch.keys for batch in batches)
    assert all(isinstance(line, str) and line.strip() for line in own.lines(COLUMNS))


def test_nothing_drawn_is_nothing_joined() -> None:
    assert _joined([]) is None
