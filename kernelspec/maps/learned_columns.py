"""Columns learned from data: dictionaries of keys, and a block for every known category."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.maps.hashed_columns import Encoding, KeyByKey, SparseTable
from kernelspec.numerics.phasor import Form
from kernelspec.numerics.threads import run_blocks
from kernelspec.planning.strata import SHARED
from kernelspec.random.streams import Hashes
from kernelspec.samples.declared_arrays import KeptFields, array, check_starts
from kernelspec.samples.keys import MatchKey
from kernelspec.samples.samples import SIDES, Side
from kernelspec.tables.categories import KnownCategories
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from kernelspec.maps.keyed import KeyedFeatures

__all__ = ["CategoryBlocks", "Exact", "learn_columns"]

_LEAST = 16


def slots_for(n: int) -> int:
    """Slots of a hash table for n keys: a power of two, at most three quarters full."""
    return max(_LEAST, 1 << (-(-4 * n // 3) - 1).bit_length())


class KeyDictionary:
    """Grows with new keys; the same keys in the same order give equal dictionaries, in any partition."""

    def __init__(self) -> None:
        self._met = np.empty(_LEAST * 3 // 4, dtype=np.uint64)
        self._slots: NDArray[np.int32] = np.full(_LEAST, -1, dtype=np.int32)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def keys(self) -> Hashes:
        """The keys met, (n,)."""
        return self._met[: self._count]

    def insert(self, keys: Hashes) -> None:
        """Add the new ones among the keys (n,)."""
        from kernelspec.numerics.column_kernels import insert_keys, rebuild_slots

        looked_at = 0
        while looked_at < len(keys):
            self._count, looked_at = insert_keys(keys, looked_at, self._met, self._count, len(self._met), self._slots)
            if looked_at < len(keys):
                self._slots = np.empty(2 * len(self._slots), dtype=np.int32)
                self._met = np.concatenate([self.keys, np.empty(len(self._slots) * 3 // 4 - self._count, np.uint64)])
                rebuild_slots(self.keys, self._slots)


_KEYS_AT_A_TIME = 1 << 21


@dataclass(frozen=True, eq=False)
class Exact(KeptFields, KeyByKey):
    """A column for every known key (two for cosine and sine), and `shared` columns for all other keys.

    `keys` (K,) are those of sample 0 in the order of their first appearance, then those of sample 1, and so on; sample
    j has `starts`_j, …, `starts`_{j+1} − 1. So the columns of a row increase, a sample's dictionary fits into the CPU
    cache, and frequent keys, which appear early, are adjacent. The order depends on that of the rows, but not on blocks
    or threads. Exact between rows with known keys; other keys are hashed into the shared columns of their sample with
    random signs, which is unbiased. Without shared columns they are dropped, and the features are biased low between
    such rows.
    """

    keys: Hashes = array("uint64", "keys")
    starts: NDArray[np.int64] = array("int64", "samples + 1", at_least=0)
    shared: int = 0

    def validate(self) -> None:
        """Raise ValueError unless every sample has its own run of fewer than 2³¹ keys."""
        check_starts(self.starts, len(self.keys), empty_runs=True)
        if np.diff(self.starts).max(initial=0) >= 2**31 or not 0 <= self.shared <= 2**16:
            raise ValueError("a sample has too many keys, or columns that they share")

    def check(self, part: KeyedFeatures) -> None:
        if len(self.starts) - 1 != len(part):
            raise ValueError(f"columns were learned for {len(self.starts) - 1} samples, but there are {len(part)}")

    @property
    def unbiased(self) -> bool:
        return self.shared > 0

    @property
    def stays_bounded(self) -> bool:
        return self.shared > 0

    def n_columns(self, part: KeyedFeatures, form: Form) -> int:
        return (len(self.keys) + len(part) * self.shared) * part.entries(form)

    def signs(self, part: KeyedFeatures, form: Form) -> NDArray[np.float64]:
        return np.repeat(part.sign, self._counts * part.entries(form))

    def names(self, part: KeyedFeatures, form: Form) -> list[str]:
        columns = [[*map(str, range(n)), *(f"other{u}" for u in range(self.shared))] for n in np.diff(self.starts)]
        return [f"{kind}{j}_{k}" for j, own in enumerate(columns) for k in own for kind in part.kinds(form)]

    def shared_columns(self, part: KeyedFeatures, form: Form) -> NDArray[np.bool_]:
        ends = np.cumsum(self._counts)
        own = np.zeros(int(self._counts.sum()), dtype=bool)
        for back in range(1, self.shared + 1):
            own[ends - back] = True
        return np.repeat(own, part.entries(form))

    @property
    def _counts(self) -> NDArray[np.int64]:
        """The columns of every sample."""
        return np.diff(self.starts) + self.shared

    def count_unmet(self, part: KeyedFeatures, rows: Rows) -> int:
        unmet: list[int] = []

        def work(first: int, last: int) -> None:
            unmet.append(self._find(part.block_keys(rows.take(slice(first, last)), "left")))

        run_blocks(len(rows), part.rows_per_block(), work)
        return sum(unmet)

    def variance_of_sharing(self, part: KeyedFeatures, x: Rows, y: Rows, form: Form) -> NDArray[np.float64]:
        """Σ_j |z_j(x) z_j(y)|²/U over samples with different unknown keys on both sides.

        This is the variance over the random signs for the given samples.
        """
        found = np.zeros((len(x), len(y)))
        if not self.shared:
            return found
        keys = [part.keys(rows, side) for rows, side in zip((x, y), SIDES, strict=True)]
        unmet = [self._unmet(own) for own in keys]
        chosen = np.ix_(*(np.flatnonzero(own.any(axis=1)) for own in unmet))
        if not found[chosen].size:
            return found
        own_form: Form = "paired" if form == "complex" else form
        values = [
            part.amplitudes(rows, side, own_form, np.dtype(np.float64))
            for rows, side in zip((x, y), SIDES, strict=True)
        ]
        a, b = chosen[0].ravel(), chosen[1].ravel()
        total = np.zeros((len(a), len(b)))
        for j in range(len(part)):
            differ = np.not_equal.outer(keys[0][a, j], keys[1][b, j])
            both = np.logical_and.outer(unmet[0][a, j], unmet[1][b, j])
            total += np.where(both & differ, np.square(values[0][:, a, j].T @ values[1][:, b, j]), 0.0)
        found[chosen] = total / self.shared
        return found

    def place(self, keys: Hashes) -> int:
        unmet = self._find(keys)
        return 0 if self.shared else unmet

    def _find(self, keys: Hashes) -> int:
        """Replace keys by their columns; return how many are unknown."""
        from kernelspec.numerics.column_kernels import find_places

        return int(find_places(keys, self.keys, self.starts, *self._slots, self.shared))

    def _unmet(self, keys: Hashes) -> NDArray[np.bool_]:
        """Which of the keys (rows, samples) are unknown."""
        own = [self.keys[self.starts[j] : self.starts[j + 1]] for j in range(keys.shape[1])]
        # kind="sort": NumPy 2.0 misreads large keys as signed when it builds a table
        return ~np.stack([np.isin(keys[:, j], met, kind="sort") for j, met in enumerate(own)], axis=1)

    def layout(self, part: KeyedFeatures, form: Form) -> tuple[NDArray[np.int64], int, int]:
        return np.zeros(len(part), dtype=np.int64), part.entries(form), 1

    @cached_property
    def _slots(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The dictionaries of all samples, one after the other, and where each starts."""
        from kernelspec.numerics.column_kernels import rebuild_slots

        sizes = [slots_for(n) for n in np.diff(self.starts).tolist()]
        edges = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        slots = np.empty(edges[-1], dtype=np.int32)

        def work(first: int, last: int) -> None:
            for j in range(first, last):
                rebuild_slots(self.keys[self.starts[j] : self.starts[j + 1]], slots[edges[j] : edges[j + 1]])

        run_blocks(len(sizes), 8, work)
        return slots, edges


def learn_columns(part: KeyedFeatures, blocks: Iterable[Rows]) -> Exact:
    """The columns of all keys of the rows, in one pass; for both sides if a row has different keys as x and as y."""
    dictionaries = [KeyDictionary() for _ in range(len(part))]
    height = max(1, _KEYS_AT_A_TIME // max(1, len(part)))
    for chunk in (chunk for rows in blocks for _, chunk in rows.blocks(height)):
        for side in part.sides:
            found = np.ascontiguousarray(part.keys(chunk, side).T)

            def work(first: int, last: int, found: Hashes = found) -> None:
                for j in range(first, last):
                    dictionaries[j].insert(found[j])

            run_blocks(len(part), 8, work)
    starts = np.concatenate([[0], np.cumsum([len(one) for one in dictionaries])]).astype(np.int64)
    keys = np.empty(starts[-1], dtype=np.uint64)
    for j, dictionary in enumerate(dictionaries):
        keys[starts[j] : starts[j + 1]] = dictionary.keys
    return Exact(keys, starts, SHARED if len(part) == 1 else 1)


@dataclass(frozen=True)
class CategoryBlocks(Encoding):
    """C + U blocks of W columns: a row has the W dense features of its samples in the block of its category.

    Rows of one category share a block, and rows of different categories have zero products, as if keys were compared.
    Unknown categories are hashed into the last U = `shared` blocks, with a random sign per sample: two that share a
    block add ±1 times what the other factors give, without bias.
    """

    of_known_categories: ClassVar[bool] = True

    known: KnownCategories
    shared: int

    def validate(self) -> None:
        """Raise ValueError unless there is a block for unknown categories."""
        if not 1 <= self.shared <= 2**16:
            raise ValueError(f"invalid number of shared blocks: {self.shared}")

    def check(self, part: KeyedFeatures) -> None:
        read = {column for factor in part.factors for column in factor.columns}
        categories = all(isinstance(factor, MatchKey) for factor in part.factors)
        if not categories or tuple(sorted(read)) != self.known.positions:
            raise ValueError(f"keys use columns {sorted(read)}, but the categories belong to {self.known.positions}")

    @property
    def stays_bounded(self) -> bool:
        return False

    @property
    def n_blocks(self) -> int:
        """C + U."""
        return len(self.known) + self.shared

    def n_columns(self, part: KeyedFeatures, form: Form) -> int:
        return self.n_blocks * self.entries(part, form)

    def signs(self, part: KeyedFeatures, form: Form) -> NDArray[np.float64]:
        return np.tile(part.sign, self.n_blocks * part.entries(form))

    def names(self, part: KeyedFeatures, form: Form, columns: Sequence[str] = ()) -> list[str]:
        """`city=a` if a row has one entry, else `city=a:cos3`; `columns` are the names of the compared columns."""
        read = columns or [f"x{position}" for position in self.known.positions]
        blocks = (
            self.known.shown(read)
            if self.known.is_named
            else [f"{','.join(read)}=<{k}>" for k in range(len(self.known))]
        )
        blocks += [f"{','.join(read)}=<other{u}>" for u in range(self.shared)]
        if self.entries(part, form) == 1:
            return blocks
        return [f"{block}:{kind}{j}" for block in blocks for kind in part.kinds(form) for j in range(len(part))]

    def shared_columns(self, part: KeyedFeatures, form: Form) -> NDArray[np.bool_]:
        return np.arange(self.n_columns(part, form)) >= len(self.known) * self.entries(part, form)

    def count_unmet(self, part: KeyedFeatures, rows: Rows) -> int:
        return int((self.known.numbers(rows) < 0).sum()) * len(part)

    def write(
        self, part: KeyedFeatures, rows: Rows, side: Side, form: Form, table: SparseTable, entry: int, column: int
    ) -> int:
        n, width = len(part), self.entries(part, form)
        values = table.data[:, entry : entry + width]
        part.without_keys.evaluate(rows, side, form, table.data.real.dtype, values)
        blocks = self.known.numbers(rows)
        unmet = np.flatnonzero(blocks < 0)
        if len(unmet):
            keys = part.keys(rows.take(unmet), side)
            blocks[unmet] = len(self.known) + ((keys[:, 0] >> np.uint64(32)) * np.uint64(self.shared) >> np.uint64(32))
            signs = 1.0 - 2.0 * (keys & np.uint64(1))
            values[unmet] *= np.tile(signs, (1, width // n)).astype(values.real.dtype)
        places = table.indices[:, entry : entry + width]
        np.add(
            (column + width * blocks).astype(places.dtype)[:, None], np.arange(width, dtype=places.dtype), out=places
        )
        return 0
