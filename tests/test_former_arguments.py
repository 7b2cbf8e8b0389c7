"""Arguments of version 0.1: they warn, and do what they did."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError

X = np.random.default_rng(0).standard_normal((30, 2))
JORDAN = "shift_gaussian(scale=1, by=2)"
compile_as_before: Callable[..., Any] = ks.compile


def test_the_seed_by_its_place() -> None:
    with pytest.warns(FutureWarning, match=r"the seed by its place is from version 0\.1 .* use seed= instead") as said:
        before = compile_as_before("gaussian()", 2, 16, 7)
    assert said[0].filename == __file__
    assert np.array_equal(before.transform(X), ks.compile("gaussian()", 2, 16, seed=7).transform(X))
    assert before.plan.seed == 7
    with pytest.raises(TypeError):
        compile_as_before("gaussian()", 2, 16, 7, "paired")
    with pytest.raises(TypeError):
        compile_as_before("gaussian()", 2, 16, 7, seed=8)


@pytest.mark.parametrize(
    ("text", "former", "other"),
    [
        ("minmax()", {"zero_bit": True}, {}),
        ("gaussian()", {"normalized": True}, {}),
        (JORDAN, {"masses": "estimated", "n_rows_for_masses": 20}, {"method": "jordan"}),
        (JORDAN, {"masses": "exact"}, {}),
    ],
)
def test_what_reproduces_papers(text: str, former: dict[str, Any], other: dict[str, Any]) -> None:
    options = {"data": np.abs(X), "n_features": 24, "buckets": 8} | other
    with pytest.warns(FutureWarning, match=rf"use published=ks\.Published\({', '.join(former)}\)") as said:
        before = compile_as_before(text, **options, **former)
    assert len(said) == 1
    now = compile_as_before(text, **options, published=ks.Published(**former))
    assert before.explain() == now.explain()
    assert np.array_equal(before.approximate(X), now.approximate(X))


def test_the_sampler_of_jordan_parts() -> None:
    by_name = ks.compile(JORDAN, dim=2, n_features=32, method="rejection")
    for method in ("auto", "jordan", "rejection"):
        with pytest.warns(FutureWarning, match="use method='rejection'"):
            before = compile_as_before(JORDAN, dim=2, n_features=32, method=method, sampler="rejection")
        assert np.array_equal(before.left(X), by_name.left(X))
    with pytest.warns(FutureWarning):
        arcs = compile_as_before(JORDAN, dim=2, n_features=32, method="jordan", sampler="arcs")
    assert np.array_equal(arcs.left(X), ks.compile(JORDAN, dim=2, n_features=32, method="jordan").left(X))
    with pytest.warns(FutureWarning), pytest.raises(PlanError, match="not of method='polar'"):
        compile_as_before(JORDAN, dim=2, method="polar", sampler="rejection")
    with pytest.warns(FutureWarning), pytest.raises(PlanError, match="sampler must be"):
        compile_as_before(JORDAN, dim=2, sampler="mcmc")


def test_the_signature_is_the_new_one() -> None:
    kinds = {name: own.kind for name, own in signature(ks.compile).parameters.items()}
    assert [name for name, kind in kinds.items() if kind is Parameter.POSITIONAL_OR_KEYWORD] == [
        "spec", "dim", "n_features",
    ]  # fmt: skip
    assert set(kinds.values()) == {Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY}
    assert not {"zero_bit", "normalized", "masses", "n_rows_for_masses", "sampler"} & set(kinds)


@pytest.mark.slow
def test_how_keys_become_columns() -> None:
    with pytest.warns(FutureWarning, match="bits= without keys= is from .* use keys='bits', bits= instead") as said:
        short = compile_as_before("match()", dim=2, n_features=8, bits=3)
    assert said[0].filename == __file__
    assert short.plan.bits == 3
    assert ks.compile("match()", dim=2, n_features=8, keys="bits", bits=3).plan == short.plan
    with pytest.warns(FutureWarning, match="bits=None"):
        assert compile_as_before("match()", dim=2, n_features=8, bits=None).plan.buckets == 256
    with pytest.warns(FutureWarning, match="use keys='exact'"):
        learnt = compile_as_before("match()", dim=2, n_features=8, buckets=None)
    assert learnt.plan == ks.compile("match()", dim=2, n_features=8, keys="exact").plan
    with pytest.raises(PlanError, match="with_columns"):
        learnt.transform(X)
    verify_as_before: Callable[..., Any] = ks.verify
    with pytest.warns(FutureWarning, match="bits= without keys="):
        certificate = verify_as_before("match()", X.round(), bits=3, n_maps=50)
    assert certificate.passed
