"""The plan in words."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.planning.explain import explain_plan


def test_everything_is_said() -> None:
    spec = "0.7 * gaussian(scale=2) + 0.3 * match()[2] * laplace()[0]"
    text = ks.compile(spec, dim=3, n_features=64, seed=5).explain()
    for part in (
        "nonzeros per row, seed 5",
        "weight 0.7:",
        "weight 0.3:",
        "frequencies of gaussian(scale=2)",
        "key: the categories of columns 2",
        "hashed into 256 buckets",
        "predicted standard error",
        "considered: ",
        "why: ",
        "unbiased: ",
    ):
        assert part in text
    assert all(len(line.rstrip()) == len(line) for line in text.splitlines())


def test_dense_maps_say_nothing_of_buckets() -> None:
    assert "buckets" not in ks.compile("gaussian()", dim=3).explain()


def test_singular_and_plural() -> None:
    plan = ks.compile("match()", dim=3, n_features=1).plan
    text = explain_plan(plan, 1)
    assert "1 column, " in text
    assert "1 sample, " in text


def test_zero_kernel() -> None:
    text = ks.compile("gaussian() - gaussian()", dim=3).explain()
    assert "the zero kernel: one column of zeros" in text
    assert text.startswith("plan: paired (")


def test_columns_not_learnt_yet() -> None:
    plan = ks.compile("match()", dim=3, keys="exact").plan
    assert "columns learned from data later" in explain_plan(plan, None)
    assert "a column for every key in the data" in explain_plan(plan, 12, learnt=True)
    assert "biased low" not in explain_plan(plan, 12, learnt=True)
    lost = explain_plan(plan, 12, learnt=True, biased_low=True)
    assert "biased low" in lost
    assert "unbiased:" not in lost


def test_mixtures_show_their_terms() -> None:
    text = ks.compile("(gaussian() + 3 * match()[1]) * match()[0]", dim=2).explain()
    assert "one of, with probability" in text
    assert "0.25: " in text
    assert "0.75: " in text


def test_every_reason_for_a_bias_is_given() -> None:
    text = "0.5*minmax() + 0.5*dual(relu, gaussian(), max_degree=3)"
    fmap = ks.compile(
        text,
        dim=2,
        n_features=64,
        published=ks.Published(zero_bit=True),
        data=np.random.default_rng(0).uniform(0, 1, (20, 2)),
    )
    shown = fmap.explain()
    assert "  biased: dual(relu, …) is cut at degree 3" in shown
    assert "  zero_bit: keys of minmax() without t*" in shown
    assert "  unbiased: every leaf" not in shown


@pytest.mark.slow
def test_tables_that_are_inverted_are_not_exact() -> None:
    shown = ks.compile("radial(r -> tanh(r)/r) + gaussian()", dim=2, n_features=32).explain()
    assert "sampled from its law, to 1e-06 in the distribution function" in shown
    assert "sampled exactly" not in shown


def test_a_map_far_wider_than_its_nonzeros_says_how_to_bound_its_columns() -> None:
    spec = "match()[0]*gaussian()[1]"
    wide = ks.compile(spec, dim=2, n_features=64)
    assert wide.n_columns == 256 * 64
    said = "256 times as many columns as n_features=64, which bounds the nonzeros per row: storage='dense' bounds"
    assert said in wide.explain()
    dense = ks.compile(spec, dim=2, n_features=64, storage="dense")
    assert dense.n_columns <= 64
    assert "times as many columns" not in dense.explain()


def test_bits_of_keys_that_no_sample_would_have_are_refused() -> None:
    with pytest.raises(PlanError, match=r"keys='bits' needs samples that are keys only.*method='category_phases'"):
        ks.compile("gaussian()[0]*match()[1]", dim=2, n_features=64, keys="bits")
    assert ks.compile("gaussian()[0]*match()[1]", dim=2, keys="bits", method="category_phases").n_columns == 1024
    assert ks.compile("gaussian()[0] + match()[1]", dim=2, keys="bits").is_sparse
