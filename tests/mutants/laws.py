"""Mistakes in how samples of kernels are put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from kernelspec.activations.activation import Activation
from kernelspec.laws import jordan
from kernelspec.laws.columns_and_lags import SelectedLaw
from kernelspec.laws.coordinate import CoordinateLaw, UnitRowsLaw
from kernelspec.laws.jordan import JordanPart
from kernelspec.laws.keys import BinningLaw, GcwsLaw, PoissonLaw
from kernelspec.laws.sums_and_products import MixtureLaw, ProductLaw
from kernelspec.laws.translation import PolarLaw, SinhRowsLaw, TiltLaw, TranslationLaw
from kernelspec.measures.mixture import PushForward
from kernelspec.samples.samples import Phasors, multiply
from kernelspec.special.wave_parts import WavePart
from tests.mutants.mutant import Mutant, given_another, result_changed

__all__ = ["IN_LAWS", "TOO_SMALL"]


def _batches(change: Any) -> Any:
    """Every batch of samples changed."""
    return lambda law, drawn: [change(law, batch) for batch in drawn]


def weight_lost_in_a_mixture(patch: pytest.MonkeyPatch) -> None:
    right = MixtureLaw.draw

    def draw(self: Any, stream: Any, n: int, columns: tuple[int, ...]) -> Any:
        signs = tuple(float(np.sign(w)) for w in self.weights)
        return right(replace(self, weights=signs), stream, n, columns)

    patch.setattr(MixtureLaw, "draw", draw)


def one_jordan_mass_swapped(patch: pytest.MonkeyPatch) -> None:
    right = jordan.part_mass
    patch.setattr(
        jordan,
        "part_mass",
        lambda part, frequency: right(WavePart.POSITIVE_COSINE if part is WavePart.POSITIVE_SINE else part, frequency),
    )


def one_draw_for_a_factor_met_twice(patch: pytest.MonkeyPatch) -> None:
    def draw(self: Any, stream: Any, n: int, columns: tuple[int, ...]) -> Any:
        drawn = [factor.draw(stream.child(0), n, columns) for factor in self.factors]
        product = drawn[0]
        for other in drawn[1:]:
            product = multiply(product, other)
        return product

    patch.setattr(ProductLaw, "draw", draw)


def rows_that_are_not_normalised(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(UnitRowsLaw, "draw", lambda self, stream, n, columns: self.base.draw(stream, n, columns))


def the_first_columns_selected(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(SelectedLaw, "chosen", lambda self, columns: columns[: len(self.positions)])


def a_matrix_transposed(patch: pytest.MonkeyPatch) -> None:
    right = PushForward.sample

    def sample(self: Any, stream: Any, n: int) -> Any:
        matrix = np.asarray(self.matrix, dtype=float)
        if matrix.ndim < 2 or matrix.shape[0] != matrix.shape[1]:
            return right(self, stream, n)
        return right(replace(self, matrix=tuple(map(tuple, matrix.T.tolist()))), stream, n)

    patch.setattr(PushForward, "sample", sample)


def _degrees_wrong(patch: pytest.MonkeyPatch, share: float) -> None:
    """So many of the degrees that are 1 are 3."""
    right = Activation.draw_degrees

    def draw(self: Any, stream: Any, n: int, weight: float = 1.0) -> Any:
        degrees = right(self, stream, n, weight)
        wrong = stream.child(99).generator("wrong").random(n) < share
        return np.where(wrong & (degrees == 1), 3, degrees)

    patch.setattr(Activation, "draw_degrees", draw)


def _shared_pitch(law: Any, batch: Any) -> Any:
    (key,) = batch.keys
    return replace(batch, keys=(replace(key, pitches=np.repeat(key.pitches[:, :1], key.pitches.shape[1], axis=1)),))


def _still_grid(law: Any, batch: Any) -> Any:
    (key,) = batch.keys
    return replace(batch, keys=(replace(key, offsets=0 * key.offsets),))


def _without_phase(law: Any, batch: Any) -> Any:
    return replace(batch, phasors=replace(batch.phasors, left=0 * batch.phasors.left))


def _turned_back(law: Any, batch: Any) -> Any:
    return replace(batch, phasors=replace(batch.phasors, left=-batch.phasors.left))


def _degrees(change: Any) -> Mutant:
    return Mutant("operator dual", result_changed(Activation, "draw_degrees", lambda self, drawn: change(drawn)))


IN_LAWS: Mapping[str, Mutant] = MappingProxyType(
    {
        "weight lost in a mixture": Mutant("operator sum", weight_lost_in_a_mixture),
        "signs lost in a mixture": Mutant(
            "operator difference",
            given_another(MixtureLaw, "draw", lambda law: replace(law, weights=tuple(abs(w) for w in law.weights))),
        ),
        "one Jordan mass swapped": Mutant("kernel shift_gaussian", one_jordan_mass_swapped),
        "an imaginary part without its phase": Mutant(
            "kernel shift_gaussian", result_changed(JordanPart, "draw", _batches(_without_phase))
        ),
        "a total variation left out": Mutant(
            "kernel cosh_gaussian",
            result_changed(PolarLaw, "draw", _batches(lambda law, batch: replace(batch, weight=0 * batch.weight + 1))),
        ),
        "the phase of a measure with the other sign": Mutant(
            "kernel shift_gaussian", result_changed(PolarLaw, "draw", _batches(_turned_back))
        ),
        "one draw for a factor met twice": Mutant("operator power", one_draw_for_a_factor_met_twice),
        "one factor too few": Mutant(
            "operator power",
            given_another(
                ProductLaw, "draw", lambda law: replace(law, factors=law.factors[: max(1, len(law.factors) - 1)])
            ),
        ),
        "frequencies of one factor only": Mutant(
            "operator let",
            result_changed(
                Phasors, "__mul__", lambda self, product: replace(product, frequencies=product.frequencies / 2)
            ),
        ),
        "a shift the other way": Mutant(
            "operator shift",
            given_another(TranslationLaw, "draw", lambda law: replace(law, by=tuple(-entry for entry in law.by))),
        ),
        "a tilt forgotten": Mutant(
            "operator tilt", given_another(TiltLaw, "draw", lambda law: replace(law, by=tuple(0.0 for _ in law.by)))
        ),
        "a tilt taken twice": Mutant(
            "operator tilt", given_another(TiltLaw, "draw", lambda law: replace(law, by=tuple(2 * e for e in law.by)))
        ),
        "cosh for sinh": Mutant(
            "kernel sinh_gaussian",
            result_changed(SinhRowsLaw, "draw", _batches(lambda law, batch: replace(batch, sign=np.abs(batch.sign)))),
        ),
        "a matrix transposed": Mutant("operator stretch by a matrix", a_matrix_transposed),
        "stretched twice": Mutant(
            "operator stretch", result_changed(PushForward, "sample", lambda self, drawn: drawn / 2)
        ),
        "the first columns for those selected": Mutant("operator select", the_first_columns_selected),
        "√d left out": Mutant(
            "kernel linear",
            result_changed(
                CoordinateLaw, "draw", _batches(lambda law, batch: replace(batch, weight=batch.weight / float(law.dim)))
            ),
        ),
        "rows that are not normalised": Mutant("kernel rbf_cosine", rows_that_are_not_normalised),
        "t* dropped": Mutant("kernel minmax", given_another(GcwsLaw, "draw", lambda law: replace(law, zero_bit=True))),
        "t* dropped in a Poisson process": Mutant(
            "kernel minmax", given_another(PoissonLaw, "draw", lambda law: replace(law, zero_bit=True))
        ),
        "grids without offsets": Mutant("kernel laplace", result_changed(BinningLaw, "draw", _batches(_still_grid))),
        "one pitch for all columns": Mutant(
            "kernel polya", result_changed(BinningLaw, "draw", _batches(_shared_pitch))
        ),
        "degrees off by one": _degrees(lambda drawn: drawn + 1),
        "degrees capped at two": _degrees(lambda drawn: np.minimum(drawn, 2)),
        "one degree for all samples": _degrees(lambda drawn: np.repeat(drawn[:1], len(drawn))),
        "one degree of erf in fifty wrong": Mutant(
            "activation erf", lambda patch: _degrees_wrong(patch, 0.02), samples=200_000
        ),
    }
)
"""What must die."""

TOO_SMALL: Mapping[str, Mutant] = MappingProxyType(
    {
        "three degrees of erf in a thousand wrong": Mutant(
            "activation erf", lambda patch: _degrees_wrong(patch, 0.003), samples=200_000
        )
    }
)
"""What lives: an error of a thousandth takes some ten million samples of a spec."""
