"""The contract of every sampler: batches that partition the samples, the first n whatever comes after them."""

from __future__ import annotations

import numpy as np
import pytest
from kernelspec.laws.sampler import Sampler, indented, reads_shown

import kernelspec as ks
from kernelspec.maps.draw import _joined
from kernelspec.random.streams import Stream
from kernelspec.samples.columns_read import UnitColumn
from kernelspec.samples.samples import Samples

SPECS = [
    "gaussian()",
    "match()",
    "gaussian()[0] * match()[1]",
    "(2 * gaussian() + match()[0] + laplace() * match()[1]) * match()[2]",
    "(gaussian() - 0.5 * laplace()) ** 3",
    "stretch(cauchy(), [1, 2, 3]) * cosine(2)",
]


def sampler_of(text: str) -> Sampler:
    spec = ks.parse(text)
    return spec.kernel(spec.columns(3)).sampler((0, 1, 2))


def arrays(batch: Samples) -> list[np.ndarray]:
    phasors = [] if batch.phasors is None else [batch.phasors.frequencies, batch.phasors.left, batch.phasors.right]
    return [batch.weight, batch.sign, *phasors]


@pytest.mark.parametrize("text", SPECS)
def test_batches_partition_the_samples(text: str) -> None:
    for n in (0, 1, 2, 50):
        batches = sampler_of(text).draw(Stream(1), n)
        found = np.concatenate([batch.index for batch in batches]) if batches else np.empty(0)
        assert sorted(found) == list(range(n))
        for batch in batches:
            assert all(len(array) == len(batch) for array in arrays(batch))
            assert (batch.weight > 0).all()
            assert set(batch.sign) <= {-1.0, 1.0}


@pytest.mark.parametrize("text", SPECS)
def test_the_first_samples_do_not_depend_on_the_number(text: str) -> None:
    many = {batch.structure: batch for batch in sampler_of(text).draw(Stream(7, (3,)), 90)}
    for batch in sampler_of(text).draw(Stream(7, (3,)), 33):
        kept = many[batch.structure].take(np.flatnonzero(many[batch.structure].index < 33))
        assert np.array_equal(kept.index, batch.index)
        for got, expected in zip(arrays(kept), arrays(batch), strict=True):
            assert np.array_equal(got, expected)


@pytest.mark.parametrize("text", SPECS)
def test_what_a_sampler_says_of_its_samples(text: str) -> None:
    sampler = sampler_of(text)
    batches = sampler.draw(Stream(0), 64)
    assert sampler.has_phasor == any(batch.phasors is not None for batch in batches)
    assert sampler.has_key == any(batch.keys for batch in batches)
    assert all(isinstance(line, str) and line.strip() for line in sampler.lines())


def test_lines_are_indented() -> None:
    assert indented(["a", "  b"]) == ["  a", "    b"]


def test_nothing_drawn_is_nothing_joined() -> None:
    assert _joined([]) is None


def test_reads_are_shown_as_the_columns_they_come_from() -> None:
    assert reads_shown((3, 0), (3, 0), None) == "3, 0"
    unit = (UnitColumn(3, (0, 3)), UnitColumn(0, (0, 3)))
    assert reads_shown(unit, (3, 0), ["a", "b", "c", "d"]) == "d, a, divided by the norm of the row"
