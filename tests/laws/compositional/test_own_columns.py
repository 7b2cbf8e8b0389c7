"""Samples on columns of their own, against the same samples on tables of one column."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.errors import PlanError
from kernelspec.laws.compositional.base_products import on_own_columns
from kernelspec.laws.rules import law_of
from kernelspec.random.streams import Stream
from kernelspec.samples.amplitudes import Neurons
from kernelspec.samples.factor import AmplitudeFactor
from kernelspec.samples.frequencies import ColumnRead
from kernelspec.samples.samples import Samples, Side
from kernelspec.tables.rows import Rows
from tests.laws.texts import kernel_of

X = np.random.default_rng(1).integers(1, 4, (6, 5)) * np.array([1.0, -1, 1, -1, 1])
N = 40
CHOSEN = np.random.default_rng(2).choice([4, 0, 3], N)


def values(samples: Samples, x: Rows, y: Rows) -> np.ndarray:
    """p(x, y) of every sample, (samples, rows, rows), as `Samples` is documented."""
    found = np.empty((len(samples), len(x), len(y)), dtype=complex)
    found[:] = (samples.weight * samples.sign)[:, None, None]
    for key in samples.keys:
        left, right = (np.broadcast_to(key.keys(rows, side), (len(rows), len(samples))) for rows, side in both(x, y))
        found *= left.T[:, :, None] == right.T[:, None, :]
    for factor in samples.amplitudes:
        left, right = (factor.values(rows, side) for rows, side in both(x, y))
        found *= left.T[:, :, None] * right.T.conj()[:, None, :]
    if samples.phasors is not None:
        p = samples.phasors
        dense = p.frequencies if isinstance(p.frequencies, np.ndarray) else p.frequencies.toarray()
        left, right = (dense @ numbers(rows, p.columns).T for rows in (x, y))
        found *= np.exp(1j * (left + p.left[:, None]))[:, :, None]
        found *= np.exp(-1j * (right + p.right[:, None]))[:, None, :]
    if samples.growth is not None:
        g = samples.growth
        left, right = (g.rates @ rows.dense()[:, list(g.columns)].T for rows in (x, y))
        found *= np.exp(left[:, :, None] - right[:, None, :])
    return found


def both(x: Rows, y: Rows) -> list[tuple[Rows, Side]]:
    return [(x, "left"), (y, "right")]


def numbers(rows: Rows, columns: tuple) -> np.ndarray:
    table = rows.dense()

    def read(column: ColumnRead) -> np.ndarray:
        if isinstance(column, int):
            return np.asarray(table[:, column])
        return np.asarray(table[:, column.position] / np.linalg.norm(table[:, list(column.among)], axis=1))

    return np.stack([read(column) for column in columns], axis=1)


BASES = [
    "gaussian()",
    "rbf_cosine(gamma=1)",
    "shift(periodic(period=2, scale=1), 0.7)",
    "tilt(laplace(), 0.1)",
    "match()",
    "minmax()",
    "stretch(minmax(), 2)",
    "0.5*tilt(minmax(), 0.1) + 0.5*match()*gaussian()",
    "normalize(linear())*gaussian()",
    "dual(exp(c=3), normalize(linear()))",
    "dual(relu, match())",
    "layer(exp(c=2), minmax(), gaussian(), normalize(linear()), match()*circle())",
    "full(exp(c=2), input=image(1, 1, 1, base=0.5*match() + 0.5*minmax()))",
]


@pytest.mark.parametrize("scheme", [None, "category_phases", "binning"])
@pytest.mark.parametrize("text", BASES)
def test_moved_samples_are_the_samples_of_one_column(text: str, scheme: str | None) -> None:
    law = law_of(kernel_of(text, 1), scheme)
    if scheme is not None and law == law_of(kernel_of(text, 1)):
        return  # no other samples
    seen = 0
    for batch in law.draw(Stream(5), N, (0,)):
        moved = on_own_columns(batch, CHOSEN[batch.index])
        found = values(moved, Rows(X), Rows(X[::-1]))
        for t, j in enumerate(batch.index):
            own = [Rows(rows[:, [CHOSEN[j]]]) for rows in (X, X[::-1])]
            expected = values(batch.take(np.array([t])), *own)[0]
            # categories have other hashes, and so other phases, where they differ
            kept = own[0].dense() == own[1].dense().T if scheme == "category_phases" else np.ones_like(found[t], bool)
            np.testing.assert_allclose(found[t][kept], expected[kept], rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(np.abs(found[t]), np.abs(expected), rtol=1e-12, atol=1e-12)
        assert np.array_equal(moved.index, batch.index)
        seen += len(batch)
    assert seen == N


def test_many_columns_are_one_structure() -> None:
    (batch,) = law_of(kernel_of("normalize(linear())*minmax()*gaussian()", 1)).draw(Stream(0), N, (0,))
    structures = {on_own_columns(batch, np.full(N, column)).structure for column in range(5)}
    assert len(structures) == 1


def test_neurons_cannot_be_moved() -> None:
    factor: AmplitudeFactor = Neurons.__new__(Neurons)
    samples = Samples(np.arange(1), np.ones(1), np.ones(1), amplitudes=(factor,))
    with pytest.raises(PlanError, match="samples with neurons are on fixed columns"):
        on_own_columns(samples, np.zeros(1, dtype=np.intp))
