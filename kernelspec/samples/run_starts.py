"""Runs: consecutive samples that belong together, given by where each run starts and the last one ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["joined_starts", "taken_runs"]


def taken_runs(starts: NDArray[np.intp], index: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Some of the runs, in the order of `index`: the samples they consist of, and their own starts (m + 1,).

    `starts` (n + 1,) ends with the number of samples.
    """
    lengths = np.diff(starts)[index]
    own = np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp)
    flat = np.arange(own[-1]) + np.repeat(starts[:-1][index] - own[:-1], lengths)
    return flat.astype(np.intp), own


def joined_starts(parts: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    """The starts of runs one part after the other."""
    lengths = np.concatenate([np.diff(part) for part in parts])
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp)
