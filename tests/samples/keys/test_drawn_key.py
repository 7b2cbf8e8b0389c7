"""Keys with random numbers of their own: arrays go by samples, options are the same for all."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from kernelspec.samples.keys import DrawnKey
from kernelspec.samples.samples import Side
from kernelspec.tables.rows import Rows


@dataclass(frozen=True)
class Shifted(DrawnKey):
    """A column, shifted by so much for each sample."""

    kind: ClassVar[str] = "shifted"

    shifts: np.ndarray
    pairs: np.ndarray
    positions: tuple[int, ...]
    doubled: bool = False

    @property
    def columns(self) -> tuple[int, ...]:
        return self.positions

    def keys(self, rows: Rows, side: Side) -> np.ndarray:
        return (rows.dense()[:, [self.positions[0]]] + self.large).astype(np.uint64)

    @cached_property
    def large(self) -> np.ndarray:
        return self.shifts * 1000


def drawn(*shifts: int, doubled: bool = False) -> Shifted:
    return Shifted(np.array(shifts), np.stack([shifts, shifts], axis=1), (2, 0), doubled)


def test_arrays_are_taken_and_joined_by_samples() -> None:
    found = drawn(5, 6, 7).take(np.array([2, 0])).join([drawn(9), drawn(1, 2)])
    assert found.shifts.tolist() == [7, 5, 9, 1, 2]
    assert found.pairs.tolist() == [[shift, shift] for shift in (7, 5, 9, 1, 2)]
    assert found.positions == (2, 0)
    assert not found.doubled
    assert drawn(5, 6, doubled=True).take(np.array([1])).doubled


def test_nothing_computed_from_other_samples_is_kept() -> None:
    whole = drawn(5, 6, 7)
    assert whole.large.tolist() == [5000, 6000, 7000]
    assert whole.take(np.array([1])).large.tolist() == [6000]
    copied = pickle.loads(pickle.dumps(whole))
    assert set(vars(copied)) == {"shifts", "pairs", "positions", "doubled"}
    assert copied.large.tolist() == [5000, 6000, 7000]


def test_structure_is_the_kind_and_the_options() -> None:
    assert drawn(1, 2).structure == drawn(7).structure
    assert drawn(1).structure != drawn(1, doubled=True).structure
    assert drawn(1).structure != Shifted(np.ones(1), np.ones((1, 2)), (0, 2)).structure
    assert hash(drawn(1).structure) == hash(drawn(2).structure)


def test_how_many_there_are() -> None:
    assert drawn(3, 4).n_samples == 2
    assert drawn(3, 4).least_width == 3
