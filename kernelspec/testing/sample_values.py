"""What single samples say of pairs of rows, straight from their definition: the referee of all feature maps.

Slow and plain on purpose: it shares no code with the evaluation of maps, with their merging of equal samples, or with
the way in which strata are put together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.random.streams import Stream
from kernelspec.samples.columns_read import numbers_on
from kernelspec.samples.half_angles import phasors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.numerics.phasor import Form
    from kernelspec.planning.strata import Stratum
    from kernelspec.samples.samples import Samples, Side
    from kernelspec.tables.rows import Rows

__all__ = ["sample_values"]

_DOUBLE = np.dtype(np.float64)


def sample_values(
    stratum: Stratum, form: Form, n: int, stream: Stream, x: Rows, y: Rows, pairs: tuple[NDArray[Any], ...]
) -> NDArray[np.float64]:
    """p_j(x_a, y_b) of n independent samples of a stratum, weight left out, for pairs (a, b): (n, P).

    p = weight·sign·1[key_L(x) = key_R(y)]·Re z_L(x) conj z_R(y); with a random offset, for samples with complex
    amplitudes, 2 Re(z_L(x) e^{ib}) Re(z_R(y) e^{ib}) in place of the last factor.
    """
    first, second = pairs
    offsets = stream.generator("offset").random(n) * 2 * np.pi
    total, every = np.zeros((n, len(first))), np.arange(n)
    for batch in stratum.law.draw(stream, n, stratum.positions):
        left, right = _amplitudes(batch, x, "left"), _amplitudes(batch, y, "right")
        a, b = left[first], right[second]
        if form == "phase" and batch.is_complex:
            turn = phasors(offsets[batch.index])
            products = 2 * (a * turn).real * (b * turn).real
        else:
            products = (a * b.conj()).real
        products = products * (batch.weight * batch.sign) * _agreements(batch, x, y, first, second)
        if np.array_equal(batch.index, every):
            total += products.T
        else:
            np.add.at(total, batch.index, products.T)
    return total


def _amplitudes(batch: Samples, rows: Rows, side: Side) -> NDArray[np.complex128]:
    values = np.ones((len(rows), len(batch)), dtype=np.complex128)
    if batch.phasors is not None:
        numbers, frequencies = numbers_on(rows, batch.phasors.columns), batch.phasors.frequencies
        phases = batch.phasors.left if side == "left" else batch.phasors.right
        values *= phasors(_plain(numbers) @ _plain(frequencies).T + phases)
    if batch.growth is not None:
        rates = batch.growth.rates if side == "left" else -batch.growth.rates
        values *= np.exp(_plain(rows.numbers)[:, list(batch.growth.columns)] @ rates.T)
    for factor in batch.amplitudes:
        values *= factor.values(rows, side)
    return values


def _agreements(batch: Samples, x: Rows, y: Rows, first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.bool_]:
    agree = np.ones((len(first), len(batch)), dtype=bool)
    for factor in batch.keys:
        left = factor.keys(x, "left")
        right = left if y is x and not factor.has_sides else factor.keys(y, "right")
        agree &= left[first] == right[second]
    return agree


def _plain(table: Any) -> NDArray[np.float64]:
    return np.asarray(table if isinstance(table, np.ndarray) else table.toarray(), dtype=_DOUBLE)
