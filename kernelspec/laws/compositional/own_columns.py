"""Samples on one column, moved to a column of the table that is another one for every sample."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.samples.amplitudes.amplitude_factor import AmplitudeFactor, AmplitudeRuns
from kernelspec.samples.amplitudes.category_phases import CategoryPhases
from kernelspec.samples.amplitudes.linear_forms import LinearForms
from kernelspec.samples.columns_read import ColumnRead, UnitColumn, in_order
from kernelspec.samples.growth import Growth
from kernelspec.samples.keys.chosen_key import ChosenKey
from kernelspec.samples.keys.column_key import ColumnKey
from kernelspec.samples.keys.match import MatchKey
from kernelspec.samples.keys.run_key import RunKey
from kernelspec.samples.samples import KeyFactor, Phasors

if TYPE_CHECKING:
    from kernelspec.samples.samples import Samples

__all__ = ["on_own_columns"]


def on_own_columns(samples: Samples, chosen: NDArray[np.intp]) -> Samples:
    """Sample j, which reads column 0 of rows of one column, on column `chosen`_j of the table instead.

    The samples stay one batch, with sparse frequencies. Raises PlanError for amplitudes that cannot be moved.
    """
    return replace(
        samples,
        phasors=None if samples.phasors is None else _phasors(samples.phasors, chosen),
        keys=tuple(_key(key, chosen) for key in samples.keys),
        growth=None if samples.growth is None else _growth(samples.growth, chosen),
        amplitudes=tuple(_amplitude(factor, chosen) for factor in samples.amplitudes),
    )


def _phasors(phasors: Phasors, chosen: NDArray[np.intp]) -> Phasors:
    from scipy.sparse import csr_array

    columns, table = _moved(phasors.columns, chosen)
    own = csr_array(phasors.frequencies).tocoo()
    places = table[own.col, np.searchsorted(np.unique(chosen), chosen[own.row])]
    frequencies = csr_array((own.data, (own.row, places)), shape=(len(chosen), len(columns)))
    frequencies.eliminate_zeros()
    return Phasors(columns, frequencies, phasors.left, phasors.right)


def _key(key: KeyFactor, chosen: NDArray[np.intp]) -> KeyFactor:
    match key:
        case MatchKey() | ChosenKey():
            return ChosenKey(chosen)
        case ColumnKey():
            return ColumnKey(key.factor, chosen)
        case RunKey():
            return RunKey(_key(key.factor, np.repeat(chosen, np.diff(key.starts))), key.starts)
    return ColumnKey(key, chosen)


def _growth(growth: Growth, chosen: NDArray[np.intp]) -> Growth:
    columns, place = np.unique(chosen, return_inverse=True)
    rates = np.zeros((len(chosen), len(columns)))
    rates[np.arange(len(chosen)), place] = growth.rates[:, 0]
    return Growth(tuple(columns.tolist()), rates)


def _amplitude(factor: AmplitudeFactor, chosen: NDArray[np.intp]) -> AmplitudeFactor:
    match factor:
        case LinearForms():
            return _forms(factor, chosen)
        case CategoryPhases():
            return CategoryPhases(factor.words, _key(factor.categories, chosen))
        case AmplitudeRuns():
            return AmplitudeRuns(_amplitude(factor.factor, np.repeat(chosen, np.diff(factor.starts))), factor.starts)
    raise PlanError(f"samples with {type(factor).__name__.lower()} are on fixed columns, and cannot be multiplied here")


def _forms(forms: LinearForms, chosen: NDArray[np.intp]) -> LinearForms:
    reads, table = _moved(forms.reads, chosen)
    which = np.repeat(np.searchsorted(np.unique(chosen), chosen), np.diff(forms.starts))
    second = np.where(forms.second >= 0, table[forms.second, which], -1)
    return replace(forms, reads=reads, first=table[forms.first, which], second=second)


def _moved(reads: tuple[ColumnRead, ...], chosen: NDArray[np.intp]) -> tuple[tuple[ColumnRead, ...], NDArray[np.intp]]:
    """All that is read on any of the columns chosen, and the place of read i on the t-th of these, in their order."""
    columns = np.unique(chosen).tolist()
    moved = [[c if isinstance(read, int) else UnitColumn(c, (c,)) for c in columns] for read in reads]
    found = in_order(column for own in moved for column in own)
    place = {column: i for i, column in enumerate(found)}
    table = [[place[column] for column in own] for own in moved]
    return found, np.array(table, dtype=np.intp).reshape(len(reads), len(columns))
