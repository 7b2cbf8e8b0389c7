"""Laws of every spec: printing, transposition, rewriting, and features that depend on a row and a seed alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.random.streams import Stream
from kernelspec.samples.factor import has_sides
from kernelspec.testing.samples import methods_of
from tests.strategies.cases import Case, cases
from tests.thoroughness import sweep

EXAMPLES = 20


def over_specs(law: Callable[[Case], None]) -> Callable[[int], None]:
    """The law as a test over random specs, the same in every run."""
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large]

    @pytest.mark.slow
    @pytest.mark.parametrize("batch", sweep(range(3), every=3))
    def test(batch: int) -> None:
        of_batch = settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=checks)
        seed(batch)(of_batch(given(case=cases(max_depth=3))(law)))()

    return test


def dense(features: Any) -> np.ndarray:
    return np.asarray(features if isinstance(features, np.ndarray) else features.toarray())


@over_specs
def test_what_is_printed_is_parsed_to_the_same_kernel(case: Case) -> None:
    spec = ks.parse(case.text)
    again = ks.parse(str(spec))
    assert str(again) == str(spec)
    np.testing.assert_array_equal(again.gram(case.rows), spec.gram(case.rows))


@over_specs
def test_transposition(case: Case) -> None:
    spec = ks.parse(case.text)
    gram = spec.gram(case.rows)
    kernel = spec.kernel(spec.columns(10))
    plan = ks.compile(spec, None, 256, method="paired", draws="independent", landmarks="never", data=case.rows).plan
    rows = plan.layout.read(case.rows)
    turned = np.broadcast_to(np.asarray(kernel.transposed().value(NumericPairs(rows, rows))), gram.shape)
    np.testing.assert_allclose(turned, gram.T, rtol=0, atol=1e-11 * np.abs(gram).max())
    if kernel.verdict().symmetric:
        np.testing.assert_allclose(gram, gram.T, rtol=0, atol=1e-11 * np.abs(gram).max())


@over_specs
def test_every_way_to_sample_has_the_same_kernel(case: Case) -> None:
    gram = ks.parse(case.text).gram(case.rows)
    for method in methods_of(case.text, case.rows):
        try:
            plan = ks.compile(
                case.text, n_features=256, method=method, draws="independent", landmarks="never", data=case.rows
            ).plan
        except PlanError:
            assert method in ("rejection", "exact")  # all products of exact features may be too many
            continue
        rows = plan.layout.read(case.rows)
        pairs = NumericPairs(rows, rows)
        terms = [s.weight * np.broadcast_to(np.asarray(s.value(pairs), dtype=float), gram.shape) for s in plan.strata]
        size = np.maximum(np.abs(gram).max(), sum(np.abs(term).max() for term in terms))
        np.testing.assert_allclose(sum(terms), gram, rtol=0, atol=1e-11 * size)
        for stratum in plan.strata:
            drawn = stratum.law.draw(Stream(0), 64, stratum.positions)
            if any(has_sides(batch) or (batch.sign < 0).any() for batch in drawn):
                assert not stratum.law.is_one_sided


@over_specs
def test_features_of_a_row_do_not_depend_on_the_others(case: Case) -> None:
    feature_map = ks.compile(case.text, dim=10, n_features=256)
    whole = dense(feature_map.left(case.rows))
    order = np.array([3, 0, 4, 2, 1])
    np.testing.assert_array_equal(dense(feature_map.left(case.rows[order])), whole[order])
    np.testing.assert_array_equal(dense(feature_map.left(case.rows[2:3])), whole[2:3])
    again = ks.compile(case.text, dim=10, n_features=256)
    np.testing.assert_array_equal(dense(again.left(case.rows)), whole)


@over_specs
def test_a_saved_map_is_the_same_map(case: Case) -> None:
    feature_map = ks.compile(case.text, dim=10, n_features=64)
    with TemporaryDirectory() as folder:
        feature_map.save(path := Path(folder) / "map.npz")
        loaded = ks.load_map(path)
    for side in ("left", "right"):
        found, expected = (getattr(own, side)(case.rows) for own in (loaded, feature_map))
        np.testing.assert_array_equal(dense(found), dense(expected))
