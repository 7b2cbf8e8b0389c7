"""Columns for the keys met in some data, instead of hashed buckets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.maps.columns.encoding import Encoding
from kernelspec.maps.columns.key_dictionary import KeyDictionary, slots_for
from kernelspec.numerics.threads import run_blocks
from kernelspec.random.hashing import Hashes
from kernelspec.samples.declared_arrays import array, check_starts

if TYPE_CHECKING:
    from kernelspec.maps.keyed import KeyedFeatures
    from kernelspec.numerics.phasor import Form
    from kernelspec.samples.samples import Side
    from kernelspec.tables.rows import Rows

__all__ = ["Exact", "count_unmet", "learn_columns"]

_KEYS_AT_A_TIME = 1 << 21


@dataclass(frozen=True, eq=False)
class Exact(Encoding):
    """A column for every key that was met (two for cosine and sine); other keys have none.

    `keys` (K,) are those of sample 0 in the order of their first appearance, then those of sample 1, and so on;
    sample j has `starts`_j, …, `starts`_{j+1} − 1. So the columns of a row increase, a sample's dictionary is small
    enough for the processor's cache, and frequent keys, which are met early, lie side by side. The order depends on
    that of the rows, but not on blocks or threads. Exact between rows whose keys were met, biased low between others.
    """

    keys: Hashes = array("uint64", "keys")
    starts: NDArray[np.int64] = array("int64", "samples + 1", at_least=0)

    def validate(self) -> None:
        """Raise ValueError unless every sample has its run of the keys, of fewer than 2³¹."""
        check_starts(self.starts, len(self.keys), empty_runs=True)
        if np.diff(self.starts).max(initial=0) >= 2**31:
            raise ValueError("a sample has too many keys")

    @property
    def unbiased(self) -> bool:
        return False

    def n_columns(self, part: KeyedFeatures, form: Form) -> int:
        return len(self.keys) * part.entries(form)

    def signs(self, part: KeyedFeatures, form: Form) -> NDArray[np.float64]:
        return np.repeat(part.sign, np.diff(self.starts) * part.entries(form))

    def names(self, part: KeyedFeatures, form: Form) -> list[str]:
        counts = np.diff(self.starts).tolist()
        return [f"{kind}{j}_{k}" for j, n in enumerate(counts) for k in range(n) for kind in part.kinds(form)]

    def place(self, keys: Hashes) -> int:
        from kernelspec.numerics.dictionary_kernels import find_places

        return int(find_places(keys, self.keys, self.starts, *self._slots))

    def layout(self, part: KeyedFeatures, form: Form) -> tuple[NDArray[np.int64], int, int]:
        return np.zeros(len(part), dtype=np.int64), part.entries(form), 1

    def __getstate__(self) -> dict[str, Any]:
        return {"keys": self.keys, "starts": self.starts}

    @cached_property
    def _slots(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The dictionaries of all samples, one after the other, and where each starts."""
        from kernelspec.numerics.dictionary_kernels import rebuild_slots

        sizes = [slots_for(n) for n in np.diff(self.starts).tolist()]
        edges = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        slots = np.empty(edges[-1], dtype=np.int32)

        def work(first: int, last: int) -> None:
            for j in range(first, last):
                rebuild_slots(self.keys[self.starts[j] : self.starts[j + 1]], slots[edges[j] : edges[j + 1]])

        run_blocks(len(sizes), 8, work)
        return slots, edges


def learn_columns(part: KeyedFeatures, rows: Rows) -> Exact:
    """The columns of all keys of the rows, in one pass; of both sides where a row has another key as y than as x."""
    dictionaries = [KeyDictionary() for _ in range(len(part))]
    height = max(1, _KEYS_AT_A_TIME // max(1, len(part)))
    for _, chunk in rows.blocks(height):
        for side in part.sides:
            found = np.empty((len(part), len(chunk)), dtype=np.uint64)
            _fill(found, part, chunk, side)

            def work(first: int, last: int, found: Hashes = found) -> None:
                for j in range(first, last):
                    dictionaries[j].insert(found[j])

            run_blocks(len(part), 8, work)
    starts = np.concatenate([[0], np.cumsum([len(one) for one in dictionaries])]).astype(np.int64)
    keys = np.empty(starts[-1], dtype=np.uint64)
    for j, dictionary in enumerate(dictionaries):
        keys[starts[j] : starts[j + 1]] = dictionary.keys
    return Exact(keys, starts)


def count_unmet(part: KeyedFeatures, columns: Exact, rows: Rows) -> int:
    """How many entries (row, sample) have a key without a column."""
    unmet = []

    def work(first: int, last: int) -> None:
        unmet.append(columns.place(part.block_keys(rows.take(slice(first, last)), "left")))

    run_blocks(len(rows), part.rows_per_block(), work)
    return sum(unmet)


def _fill(found: Hashes, part: KeyedFeatures, rows: Rows, side: Side) -> None:
    """The keys, a row for every sample."""

    def work(first: int, last: int) -> None:
        found[:, first:last] = part.block_keys(rows.take(slice(first, last)), side).T

    run_blocks(len(rows), part.rows_per_block(), work)
