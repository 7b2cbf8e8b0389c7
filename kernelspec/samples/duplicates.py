"""Equal samples merged into one with their multiplicity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.samples.hadamard_frequencies import HadamardFrequencies

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kernelspec.numerics.phasor import Form
    from kernelspec.samples.samples import Phasors, Samples

__all__ = ["merge_equal"]


def merge_equal(batches: Sequence[Samples], form: Form) -> list[Samples]:
    """The batches with m samples that are equal, or conjugate, as one of m times the weight: the first of each kind.

    The real part of e^{iω·(x − y)} is that of e^{−iω·(x − y)}. Only samples of sparse frequencies are compared, and the
    constants beside them: others meet with probability zero. With random offsets (`phase`) equal frequencies have
    features that differ. Exact: nothing is compared by a hash alone.
    Reference: Daniely, Frostig, Gupta and Singer 2017, section 6.
    """
    if not any(_is_sparse(batch.phasors) for batch in batches):
        return list(batches)
    return [_merged(batch, form) for batch in batches]


def _merged(batch: Samples, form: Form) -> Samples:
    if batch.keys or batch.growth is not None or batch.amplitudes:
        return batch
    if batch.phasors is None:
        kinds = [sign.tobytes() for sign in batch.sign]
    elif form == "phase" or isinstance(batch.phasors.frequencies, np.ndarray | HadamardFrequencies):
        return batch
    else:
        kinds = _kinds(batch.phasors.frequencies, batch.phasors, batch.sign)
    found: dict[bytes, int] = {}
    group = np.array([found.setdefault(kind, len(found)) for kind in kinds], dtype=np.intp)
    _, first = np.unique(group, return_index=True)
    weight = np.zeros(len(found))
    np.add.at(weight, group, batch.weight)
    return replace(batch.take(first), weight=weight)


def _is_sparse(phasors: Phasors | None) -> bool:
    return phasors is not None and not isinstance(phasors.frequencies, np.ndarray | HadamardFrequencies)


def _kinds(matrix: csr_array, phasors: Phasors, sign: NDArray[np.float64]) -> list[bytes]:
    """Columns, frequencies, phases and sign of every sample as bytes, the first number but zeros made positive."""
    edges, many = matrix.indptr, np.diff(matrix.indptr)
    phases = np.stack([phasors.left, phasors.right], axis=1)
    lead = np.where(phases[:, 0] != 0, phases[:, 0], phases[:, 1])
    lead[many > 0] = matrix.data[edges[:-1][many > 0]]
    turn = np.where(lead < 0, -1.0, 1.0)
    heads = np.column_stack([phases * turn[:, None] + 0.0, sign])  # −0.0 + 0.0 is 0.0
    values, places = matrix.data * np.repeat(turn, many), matrix.indices
    return [
        head.tobytes() + places[a:b].tobytes() + values[a:b].tobytes()
        for head, a, b in zip(heads, edges[:-1], edges[1:], strict=True)
    ]
