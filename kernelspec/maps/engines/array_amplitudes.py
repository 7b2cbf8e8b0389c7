"""Amplitudes of samples that are no phasors, computed by another library: one rule a kind of factor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import PlanError
from kernelspec.maps.engines.array_values import ArrayValues, refused
from kernelspec.samples.amplitudes.amplitude_factor import AmplitudeFactor, AmplitudeRuns
from kernelspec.samples.amplitudes.linear_forms import LinearForms
from kernelspec.samples.amplitudes.neurons import Neurons
from kernelspec.samples.columns_read import ColumnRead

if TYPE_CHECKING:
    from kernelspec.maps.dense import Placed

__all__ = ["Read", "array_amplitude", "array_amplitudes"]

Read = Callable[[tuple[ColumnRead, ...]], Any]
"""The numbers of some columns, (n, p), as `ArrayValues`."""


def array_amplitudes(placed: Sequence[Placed], start: int, stop: int, read: Read, n: int) -> Any:
    """The amplitudes of the samples from `start` up to `stop`, (n, stop − start); None where they have no factors."""
    total: Any = None
    for one in placed:
        if start <= one.start and one.stop <= stop:
            found = array_amplitude(one.factor, read)
            xp, device = found.xp, found.device
            before, after = (
                xp.ones((n, width), dtype=found.values.dtype, device=device)
                for width in (one.start - start, stop - one.stop)
            )
            whole = xp.concat([before, found.values, after], axis=1)
            total = whole if total is None else total * whole
    return total


@singledispatch
def array_amplitude(factor: AmplitudeFactor, read: Read) -> ArrayValues:
    """`factor.values` of the rows, (n, samples), float64 or complex128. Raises PlanError for a kind without a rule."""
    del read
    raise PlanError(
        f"the map has amplitudes of a kind that NumPy alone computes ({type(factor).__name__}): give it a NumPy array, "
        "as in X.cpu().numpy()"
    )


@array_amplitude.register
def _linear_forms(factor: LinearForms, read: Read) -> ArrayValues:
    data = read(factor.reads)
    xp = data.xp
    padded = xp.concat([data.values, xp.zeros_like(data.values[:, :1])], axis=1)  # for those without imaginary parts

    def at(terms: Any) -> Any:
        own = _columns(data, data.values, factor.first[terms]) * data.there(factor.scale[terms])
        if not factor.is_complex:
            return own
        other = _columns(data, padded, factor.second[terms] % padded.shape[1])
        other = other * data.there(factor.scale[terms] * factor.turn[terms])
        return xp.astype(own, xp.complex128) + 1j * xp.astype(other, xp.complex128)

    return _products(data, factor, at)


@array_amplitude.register
def _runs(factor: AmplitudeRuns, read: Read) -> ArrayValues:
    own = array_amplitude(factor.factor, read)
    return _products(own, factor, lambda terms: _columns(own, own.values, terms))


@array_amplitude.register
def _neurons(factor: Neurons, read: Read) -> ArrayValues:
    inputs: Any = read(factor.reads) @ factor.weights.T
    try:
        found: Any = factor.activation.evaluate(inputs)
    except (AttributeError, TypeError) as error:  # what a stand-in for an array lacks
        raise refused(f"neurons {factor.activation}", error) from error
    own: ArrayValues = found - (factor.constant + factor.slope * inputs)
    return own


def _columns(own: ArrayValues, values: Any, places: Any) -> Any:
    index = own.xp.asarray(np.ascontiguousarray(places), dtype=own.xp.int64, device=own.device)
    return own.xp.take(values, index, axis=1)


def _products(own: ArrayValues, factor: Any, at: Callable[[Any], Any]) -> ArrayValues:
    """∏ of the terms from starts_j up to starts_{j+1}; `at` gives the values of some terms, (n, terms).

    Step by step, over the products that have that many terms: the longest are first, and the work is that of all terms.
    """
    xp, lengths = own.xp, np.diff(factor.starts)
    order = np.argsort(-lengths, kind="stable")
    first, done = factor.starts[:-1][order], []
    kind = xp.complex128 if factor.is_complex else xp.float64
    total = xp.ones((own.shape[0], len(lengths)), dtype=kind, device=own.device)
    for step in range(int(lengths.max()) + 1):
        more = int((lengths > step).sum())
        done.append(total[:, more:])
        total = total[:, :more]
        if more:
            total = total * at(first[:more] + step)
    return own.like(_columns(own, xp.concat(done[::-1], axis=1), np.argsort(order, kind="stable")))
