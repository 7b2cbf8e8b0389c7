"""Runs of the samples of a factor, whatever the factor is."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from kernelspec.samples.factor import Factor, FactorRuns


@dataclass(frozen=True)
class Numbered(Factor):
    """Samples that are known by their numbers."""

    numbers: np.ndarray

    @property
    def structure(self) -> Hashable:
        return "numbered"

    @property
    def columns(self) -> tuple[int, ...]:
        return (4, 1)

    def take(self, index: np.ndarray) -> Numbered:
        return Numbered(self.numbers[index])

    def join(self, others: Sequence[Numbered]) -> Numbered:
        return Numbered(np.concatenate([self.numbers, *(other.numbers for other in others)]))

    @property
    def n_samples(self) -> int:
        return len(self.numbers)


def runs(*parts: list[int]) -> FactorRuns[Numbered]:
    starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    return FactorRuns(Numbered(np.concatenate(parts)), starts)


def parts(found: FactorRuns[Numbered]) -> list[list[int]]:
    return [part.tolist() for part in np.split(found.factor.numbers, found.starts[1:-1])]


def test_runs_are_taken_whole() -> None:
    found = runs([5, 6], [7], [1, 2, 3]).take(np.array([2, 0, 2]))
    assert parts(found) == [[1, 2, 3], [5, 6], [1, 2, 3]]
    assert found.starts.tolist() == [0, 3, 5, 8]


def test_runs_are_joined() -> None:
    found = runs([5, 6], [7]).join([runs([1, 2, 3]), runs([8], [9])])
    assert parts(found) == [[5, 6], [7], [1, 2, 3], [8], [9]]
    assert parts(runs([5, 6], [7]).join([])) == [[5, 6], [7]]


def test_what_they_are() -> None:
    own = runs([5, 6], [7])
    assert own.columns == (4, 1)
    assert own.structure == runs([0]).structure
    assert own.structure != own.factor.structure
    assert FactorRuns(own, np.array([0, 2])).structure != own.structure
    assert own.n_samples == 2
    assert own.least_width == 5


@pytest.mark.parametrize("starts", [[1, 3], [0, 2], [0, 4], [0, 2, 1, 3], [0, -1, 3], []])
def test_runs_that_do_not_follow_each_other_are_refused(starts: list[int]) -> None:
    factor = Numbered(np.array([5, 6, 7]))
    FactorRuns(factor, np.array([0, 2, 2, 3])).validate()
    with pytest.raises(ValueError, match="one after the other"):
        FactorRuns(factor, np.array(starts, dtype=np.intp)).validate()
