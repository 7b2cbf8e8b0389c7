"""The keys of one sample, numbered in the order in which they are met."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.hashing import Hashes

__all__ = ["KeyDictionary", "slots_for"]

_LEAST = 16


def slots_for(n: int) -> int:
    """Slots of a table for n keys: a power of two, at most three quarters of them taken."""
    size = _LEAST
    while n * 4 > size * 3:
        size *= 2
    return size


class KeyDictionary:
    """Grows as keys are met; equal keys in the same order make equal dictionaries, in whatever pieces they come."""

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
        """Enter the keys (n,) that are new."""
        from kernelspec.numerics.dictionary_kernels import insert_keys, rebuild_slots

        looked_at = 0
        while looked_at < len(keys):
            self._count, looked_at = insert_keys(keys, looked_at, self._met, self._count, len(self._met), self._slots)
            if looked_at < len(keys):
                self._slots = np.empty(2 * len(self._slots), dtype=np.int32)
                self._met = np.concatenate([self.keys, np.empty(len(self._slots) * 3 // 4 - self._count, np.uint64)])
                rebuild_slots(self.keys, self._slots)
