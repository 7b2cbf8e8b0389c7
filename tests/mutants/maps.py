"""Mistakes between samples and features, in keys and in predicted variances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from kernelspec.maps import draw as drawing
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.numerics import key_kernels
from kernelspec.random.streams import Stream
from kernelspec.samples.keys import MatchKey
from kernelspec.testing import samples
from tests.mutants.mutant import Mutant, result_changed

__all__ = ["IN_MAPS"]


class _Still:
    """A generator whose uniform numbers are all zero."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.generator = generator

    def random(self, n: int) -> Any:
        return 0 * self.generator.random(n)


def _drawn(patch: pytest.MonkeyPatch, change: Any) -> None:
    """Maps are drawn, and `change(plan, dense, keyed)` is what they get."""
    right = drawing.draw

    def draw(plan: Any) -> Any:
        dense, keyed, columns = right(plan)
        return (*change(plan, dense, keyed), columns)

    patch.setattr(drawing, "draw", draw)


def amplitudes_without_root_two(patch: pytest.MonkeyPatch) -> None:
    def change(plan: Any, dense: Any, keyed: Any) -> Any:
        if dense is not None and plan.form == "phase":
            dense = replace(dense, weight=dense.weight / 2)
        return dense, keyed

    _drawn(patch, change)


def weights_by_the_number_of_columns(patch: pytest.MonkeyPatch) -> None:
    def change(plan: Any, dense: Any, keyed: Any) -> Any:
        if dense is not None and plan.form == "paired":
            dense = replace(dense, weight=dense.weight / 2)
        return dense, keyed

    _drawn(patch, change)


def the_last_sample_lost(patch: pytest.MonkeyPatch) -> None:
    def change(plan: Any, dense: Any, keyed: Any) -> Any:
        if dense is not None:
            dense = replace(dense, weight=np.append(dense.weight[:-1], 0.0))
        return dense, keyed

    _drawn(patch, change)


def columns_by_the_key_alone(patch: pytest.MonkeyPatch) -> None:
    _drawn(patch, lambda plan, dense, keyed: (dense, tuple(replace(own, identity=0 * own.identity) for own in keyed)))


def _strata(patch: pytest.MonkeyPatch, weight: Any) -> None:
    right = drawing.draw

    def draw(plan: Any) -> Any:
        return right(replace(plan, strata=tuple(replace(own, weight=weight(own.weight)) for own in plan.strata)))

    patch.setattr(drawing, "draw", draw)


def offsets_forgotten(patch: pytest.MonkeyPatch) -> None:
    # offsets over a half or a quarter of a turn are right in mean and variance, as {0, π/2} are: that is no mistake
    right = Stream.generator
    patch.setattr(
        Stream,
        "generator",
        lambda self, purpose: _Still(right(self, purpose)) if purpose == "offset" else right(self, purpose),
    )


def keys_mixed_by_xor(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(key_kernels, "mix_keys", lambda first, second, offset: np.bitwise_xor(first, second))


def duplicates_with_m_for_root_m(patch: pytest.MonkeyPatch) -> None:
    right = drawing.merge_equal

    def merged(batches: Any, form: Any) -> Any:
        found = []
        for before, after in zip(batches, right(batches, form), strict=True):
            one = before.weight[0] if len(before) else 1.0
            found.append(replace(after, weight=after.weight**2 / one) if len(after) < len(before) else after)
        return found

    patch.setattr(drawing, "merge_equal", merged)


def _variance(patch: pytest.MonkeyPatch, change: Any) -> None:
    right = samples.sample_variance
    patch.setattr(samples, "sample_variance", lambda law, pairs, form, *rest: change(right, law, pairs, form, *rest))


def second_moment_for_variance(patch: pytest.MonkeyPatch) -> None:
    _variance(patch, lambda right, law, pairs, *rest: right(law, pairs, *rest) + np.square(law.value(pairs)))


def variance_of_the_other_form(patch: pytest.MonkeyPatch) -> None:
    _variance(patch, lambda right, law, pairs, form: right(law, pairs, "phase" if form == "paired" else "paired"))


def five_percent_off(patch: pytest.MonkeyPatch) -> None:
    _variance(patch, lambda right, *arguments: 1.05 * right(*arguments))


IN_MAPS: Mapping[str, Mutant] = MappingProxyType(
    {
        "amplitudes without √2": Mutant("kernel gaussian", amplitudes_without_root_two),
        "weights by the number of columns": Mutant("kernel gaussian", weights_by_the_number_of_columns),
        "the last sample lost": Mutant("kernel gaussian", the_last_sample_lost),
        "weight lost in strata": Mutant("operator sum", lambda patch: _strata(patch, lambda w: float(np.sign(w)))),
        "sign lost in strata": Mutant("operator difference", lambda patch: _strata(patch, abs)),
        "estimates doubled off the diagonal": Mutant(
            "kernel gaussian",
            result_changed(
                FeatureMap,
                "approximate",
                lambda self, found: np.where(np.eye(*found.shape, dtype=bool), found, 2 * found),
            ),
        ),
        "sides exchanged": Mutant(
            "kernel shift_gaussian", result_changed(FeatureMap, "approximate", lambda self, found: found.T)
        ),
        "conjugate features on the left": Mutant(
            "kernel shift_gaussian",
            lambda patch: patch.setattr(FeatureMap, "left", lambda self, X, out=None: self.right(X)),
        ),
        "offsets forgotten": Mutant("kernel gaussian", offsets_forgotten),
        "keys mixed by XOR": Mutant("kernel match", keys_mixed_by_xor),
        "columns by the key alone": Mutant("kernel match", columns_by_the_key_alone),
        "categories told apart by one bit": Mutant(
            "kernel match", result_changed(MatchKey, "keys", lambda self, keys: keys & np.uint64(1))
        ),
        "duplicates with m for √m": Mutant("operator image", duplicates_with_m_for_root_m),
        "a variance 5 % off": Mutant("kernel gaussian", five_percent_off, samples=100_000),
        "a second moment for a variance": Mutant("kernel laplace", second_moment_for_variance),
        "the variance of the other form": Mutant("kernel gaussian", variance_of_the_other_form),
    }
)
"""What must die."""
