"""Tests of `planning/options.py`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.compilation import compile_spec
from kernelspec.errors import PlanError, UnknownArgumentError
from kernelspec.planning.options import OPTIONS, STORAGES, VERIFIED, MapOptions, Option, Storage

RNG = np.random.default_rng(0)
X = np.column_stack([RNG.standard_normal((40, 2)), RNG.integers(0, 4, 40)])
CATEGORIES = "0.5 * gaussian()[0:2] * match()[2] + 0.3 * match()[2] + 0.2 * cauchy()[0]"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"keys": "auto", "buckets": 16}, (16, None)),
        ({"keys": "hashed", "buckets": 16}, (16, None)),
        ({"keys": "bits", "bits": 3}, (None, 3)),
        ({"keys": "exact"}, (None, None)),
    ],
)
def test_what_is_used(options: dict[str, Any], expected: tuple[int | None, int | None]) -> None:
    found = MapOptions(**options)
    assert (found.hashed_into, found.lowest_bits) == expected
    plan = ks.compile("match()", dim=2, n_features=8, **options).plan
    assert (plan.buckets, plan.bits) == expected


DOORS: dict[str, Callable[..., Any]] = {
    "compile": lambda **options: ks.compile("gaussian()", data=X[:, :2], **options),
    "KernelFeatures": lambda **options: ks.KernelFeatures("gaussian()", **options).fit(X[:, :2]),
    "verify": lambda **options: ks.verify("gaussian()", X[:, :2], **options),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_features": 0}, "n_features must be at least 1, not 0"),
        ({"n_features": 1.5}, "n_features must be a whole number, not 1.5"),
        ({"method": "pared"}, r"method must be one of 'auto', 'paired', .*, not 'pared'; did you mean 'paired'\?"),
        ({"draws": "soboll"}, r"draws must be one of .* not 'soboll'; did you mean 'sobol'\?"),
        ({"keys": "buckets"}, "keys must be one of 'auto', 'exact', 'hashed', 'bits', not 'buckets'"),
        ({"keys": None}, "keys must be one of 'auto', .* not None"),
        ({"buckets": 1}, "buckets must be at least 2, not 1"),
        ({"buckets": 10**30}, "buckets must be at most 2,147,483,648"),
        ({"keys": "bits", "bits": 2.5}, "bits must be a whole number, not 2.5"),
        ({"keys": "bits", "bits": 10**30}, "bits must be at most 24"),
        ({"storage": "csr"}, "storage must be one of 'auto', 'dense', 'sparse', not 'csr'"),
        ({"bits": 4}, "bits=4 has no effect without keys='bits'"),
        ({"bits": 4, "keys": "hashed"}, "bits=4 has no effect without keys='bits'"),
        ({"buckets": 16, "keys": "exact"}, "buckets=16 has no effect without keys='auto' or 'hashed'"),
        ({"buckets": 16, "keys": "bits"}, "buckets=16 has no effect without keys='auto' or 'hashed'"),
    ],
)
def test_what_is_refused_at_every_door(door: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        DOORS[door](**options)


@pytest.mark.parametrize("door", ["compile", "KernelFeatures"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"landmarks": "always"}, "landmarks must be one of 'auto', 'never', not 'always'"),
        ({"confidence": 0.9}, "confidence=0.9 has no effect without pointwise="),
        ({"n_features": "auto", "error": 0.1, "confidence": 0.9}, "confidence=0.9 has no effect without pointwise="),
        ({"n_features": "many"}, "n_features must be a whole number or 'auto', not 'many'"),
    ],
)
def test_what_is_refused_where_errors_are_asked_for(door: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        DOORS[door](**options)


SIGNATURES: dict[str, tuple[Callable[..., Any], MapOptions, set[str]]] = {
    "compile": (compile_spec, MapOptions(), set(OPTIONS)),
    "KernelFeatures": (ks.KernelFeatures, MapOptions(), set(OPTIONS) - {"seed"}),
    "verify": (ks.verify, VERIFIED, set(OPTIONS) - {"error", "pointwise", "confidence", "landmarks"}),
}


@pytest.mark.parametrize("door", SIGNATURES)
def test_signatures_are_those_of_the_options(door: str) -> None:
    """Names, types and defaults in Python."""
    function, defaults, expected = SIGNATURES[door]
    parameters = inspect.signature(function).parameters
    assert set(parameters) & set(OPTIONS) == expected
    types = {one.name: one.type for one in fields(MapOptions)}
    for name in expected:
        assert parameters[name].default == getattr(defaults, name)
        exempt = door == "verify" and name == "seed"  # that of a certificate is known
        assert exempt or parameters[name].annotation == types[name]


@pytest.mark.parametrize("name", OPTIONS)
def test_the_default_of_an_option_is_one_that_it_accepts(name: str) -> None:
    option, default = OPTIONS[name], getattr(MapOptions(), name)
    assert isinstance(option, Option)
    assert default is None or option.accepts.read(default) == default
    assert default is None or option.accepts.parse(str(default)) == default
    assert "default" not in option.help


def test_whole_numbers_of_other_types_become_ints() -> None:
    options = MapOptions(n_features=np.int64(5), seed=np.uint8(3))  # type: ignore[arg-type]
    assert (type(options.n_features), type(options.seed)) == (int, int)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ks.compile("gaussian()", 2, n_componets=64), "compile() has no argument 'n_componets'; did you mean"),
        (lambda: ks.compile("gaussian()", 2, n_componets=64), "did you mean 'n_features'?"),
        (lambda: ks.compile("gaussian()", 2, random_state=0), "did you mean 'seed'?"),
        (lambda: ks.compile("gaussian()", d=2), "did you mean 'dim'?"),
        (lambda: ks.compile("gaussian()", X=X), "did you mean 'data'?"),
        (lambda: ks.compile("gaussian()", 2, anchors="never"), "did you mean 'landmarks'?"),
        (lambda: ks.compile("gaussian()", 2, qwertz=1), "compile() has no argument 'qwertz'; it has spec, dim, "),
        (lambda: ks.KernelFeatures("gaussian()", n_components=64), "KernelFeatures() has no argument 'n_components'; "),
        (lambda: ks.KernelFeatures("gaussian()", seed=1), "did you mean 'random_state'?"),
        (lambda: ks.KernelFeatures("gaussian()", parameters={}), "did you mean 'params'?"),
        (lambda: ks.KernelFeatures("gaussian()").set_params(n_components=3), "did you mean 'n_features'?"),
        (lambda: ks.verify("gaussian()", dim=2, random_state=3), "verify() has no argument 'random_state'; did you"),
        (lambda: ks.analyze("gaussian()", dims=3), "analyze() has no argument 'dims'; did you mean 'dim'?"),
    ],
)
def test_unknown_arguments_name_the_one_that_was_meant(call: Callable[[], Any], message: str) -> None:
    with pytest.raises((UnknownArgumentError, ValueError)) as raised:
        call()
    assert message in str(raised.value)


@pytest.mark.slow
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("text", ["gaussian()", CATEGORIES, "match()[2]", "gaussian() - gaussian()"])
def test_features_are_what_is_asked_for(text: str, storage: Storage) -> None:
    fmap = ks.compile(text, data=X, n_features=60, storage=storage)
    features: Any = fmap.left(X)
    assert isinstance(features, np.ndarray) == (storage == "dense" or (storage == "auto" and "match" not in text))
    array = features if isinstance(features, np.ndarray) else features.toarray()
    assert array.shape == (40, fmap.n_columns)
    assert np.abs((array * fmap.signs) @ array.T - fmap.approximate(X)).max() <= 1e-13
    assert fmap.is_sparse == (not isinstance(features, np.ndarray))


def test_where_zeros_are_stored_they_count() -> None:
    fmap = ks.compile("gaussian()[0:2] * match()[2]", data=X, n_features=60, storage="dense", method="paired")
    assert fmap.plan.chosen.counts == (60 // (2 * 5),)
    assert fmap.n_columns == 60
    hashed = ks.compile("match()[2]", dim=3, n_features=60, buckets=16, storage="dense", method="paired")
    assert hashed.n_columns == 3 * 16
    bits = ks.compile("minmax()", dim=3, n_features=60, keys="bits", bits=2, storage="dense")
    assert bits.n_columns == 60 // 4 * 4 + 1
    with pytest.raises(PlanError, match="one sample of this kernel needs 256"):
        ks.compile("match()[2]", dim=3, n_features=60, storage="dense", method="paired")
    learned = ks.compile("laplace()", data=X, n_features=8, keys="exact", storage="dense")
    assert (learned.n_columns, learned.plan.form) == (8, "paired")  # keys must be requested
    exact = ks.compile("match()[2]", data=X, storage="dense")
    assert (exact.n_columns, exact.plan.chosen.error) == (8, 0)


@pytest.mark.slow
def test_a_named_storage_lets_all_plans_compete() -> None:
    assert not ks.compile("laplace()", data=X, n_features=64).is_sparse
    assert ks.compile("laplace()", data=X, n_features=64, storage="sparse").plan.method == "binning"
    plan = ks.compile(CATEGORIES, data=X, n_features=64, storage="dense").plan
    assert plan.chosen.variance == min(
        plan.chosen.variance,
        *(other.variance for other in plan.alternatives if other.variance < np.inf and not other.is_biased),
    )
    assert "of an array" in ks.compile(CATEGORIES, data=X, storage="dense").explain()
    assert "of a CSR matrix" in ks.compile("gaussian()", dim=2, storage="sparse").explain()


@pytest.mark.slow
def test_arrays_are_written_to_out_in_any_pieces() -> None:
    fmap = ks.compile(CATEGORIES, data=X, n_features=60, storage="dense")
    out = np.full((40, fmap.n_columns), np.nan)
    assert fmap.transform(X, out) is out
    assert np.array_equal(out, fmap.transform(X))
    pieces = [fmap.transform(X[i : i + 7]) for i in range(0, 40, 7)]
    assert np.array_equal(np.concatenate(pieces), out)  # type: ignore[arg-type]
    assert np.array_equal(np.concatenate([block.copy() for block in fmap.blocks(X, rows=16)]), out)  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="out must have shape"):
        fmap.transform(X, out[:, 1:])
    with pytest.raises(PlanError, match="cannot be written to out"):
        ks.compile("gaussian()", dim=3, storage="sparse").transform(X, out)


def test_bits_leave_the_constant_column_empty_in_arrays_too() -> None:
    options: Any = {"dim": 3, "n_features": 60, "keys": "bits", "bits": 2, "method": "gcws"}
    dense = ks.compile("minmax()", storage="dense", **options)
    sparse = ks.compile("minmax()", **options | {"n_features": dense.plan.chosen.counts[0]})
    assert np.array_equal(dense.transform(X), sparse.transform(X).toarray())  # type: ignore[union-attr]
    assert np.array_equal(dense.left(X), sparse.left(X).toarray())  # type: ignore[union-attr]


def test_both_sides_as_arrays() -> None:
    fmap = ks.compile("shift_gaussian(by=1)[0] * match()[2]", data=X, n_features=60, storage="dense", method="paired")
    features = fmap.transform(X, side="both")
    assert isinstance(features, np.ndarray)
    assert features.shape == (40, len(fmap.names("both")))


@pytest.mark.slow
def test_certificates_judge_the_features_that_are_stored() -> None:
    spec = "gaussian()[0] * match()[2]"
    certificate = ks.verify(spec, X, storage="dense", method="paired", n_maps=200, n_features=2048)
    assert [check.hashed for check in certificate.checks] == [False, True]
    assert certificate.passed
