"""From a spec to a feature map: what may be left out, and what is refused."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.compilation import compile_spec
from kernelspec.errors import DataError, DimensionError, ParameterError, PlanError, SpecError

X = np.random.default_rng(0).standard_normal((20, 3))


def test_texts_and_specs() -> None:
    first, second = ks.compile("gaussian()", dim=3), ks.compile(ks.parse("gaussian()"), dim=3)
    assert np.array_equal(first.approximate(X), second.approximate(X))
    assert ks.compile is compile_spec


@pytest.mark.slow
def test_columns_come_from_columns_data_dim_or_the_spec() -> None:
    import pandas as pd

    table = pd.DataFrame(X, columns=["a", "b", "c"])
    assert ks.compile("gaussian()", dim=4).plan.layout.dim == 4
    assert ks.compile("gaussian()[b]", columns=["a", "b"]).plan.layout.numeric == (1,)
    assert ks.compile("gaussian()[b]", data=table).plan.layout.names == ("a", "b", "c")
    assert ks.compile("gaussian()", data=X).plan.layout.dim == 3
    assert ks.compile("gaussian()", data=X.tolist()).plan.layout.dim == 3
    assert ks.compile("gaussian()", data=csr_array(X)).plan.layout.dim == 3
    assert ks.compile("gaussian()[v] + laplace()[u]").plan.layout.names == ("v", "u")


def test_no_columns_at_all() -> None:
    with pytest.raises(DimensionError, match="Give dim=, columns= or data="):
        ks.compile("gaussian()")


def test_columns_that_disagree() -> None:
    with pytest.raises(DimensionError, match="dim is 3, but there are 2 column names"):
        ks.compile("gaussian()", dim=3, columns=["a", "b"])
    with pytest.raises(DataError, match="has 3 features"):
        ks.compile("gaussian()", dim=4, data=X)
    with pytest.raises(DimensionError):
        ks.compile("gaussian()", dim=0)


@pytest.mark.parametrize("bad", [np.ones(3), np.ones((2, 2, 2)), 5, "abc"])
def test_data_that_are_no_table(bad: Any) -> None:
    with pytest.raises(DataError):
        ks.compile("gaussian()", data=bad)


def test_data_with_holes() -> None:
    spoiled = X.copy()
    spoiled[4, 2] = np.nan
    with pytest.raises(DataError, match="NaN in row 4, column 2"):
        ks.compile("gaussian()", data=spoiled)
    ks.compile("gaussian()[0:2]", data=spoiled)  # a column that is not used may hold anything


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_features": 0}, "n_features must be at least 1, not 0"),
        ({"n_features": -5}, "n_features must be at least 1, not -5"),
        ({"n_features": 10.5}, "n_features must be a whole number, not 10.5"),
        ({"n_features": None}, "n_features must be a whole number, not None"),
        ({"seed": -1}, "seed must be at least 0, not -1"),
        ({"seed": 1.5}, "seed must be a whole number, not 1.5"),
        ({"seed": "a"}, "seed must be a whole number, not 'a'"),
        ({"buckets": 1}, "buckets must be at least 2, not 1"),
        ({"buckets": 2.5}, "buckets must be a whole number, not 2.5"),
        ({"method": "magic"}, "method must be one of"),
    ],
)
def test_options_out_of_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        ks.compile("gaussian() * match()", dim=3, **options)


def test_numpy_numbers_are_numbers() -> None:
    feature_map = ks.compile("match()", dim=3, n_features=np.int64(9), seed=np.uint32(4), buckets=np.int16(8))  # type: ignore[arg-type]
    assert (feature_map.plan.n_features, feature_map.plan.seed, feature_map.plan.buckets) == (9, 4, 8)
    assert all(type(value) is int for value in (feature_map.plan.n_features, feature_map.plan.seed))


def test_a_seed_of_the_system_is_recorded() -> None:
    first, second = ks.compile("gaussian()", dim=3, seed=None), ks.compile("gaussian()", dim=3, seed=None)
    assert first.plan.seed != second.plan.seed
    again = ks.compile("gaussian()", dim=3, seed=first.plan.seed)
    assert np.array_equal(first.approximate(X), again.approximate(X))
    assert str(first.plan.seed) in first.explain()


def test_large_seeds() -> None:
    seeds = [2**63, 2**64, 2**64 + 1, 2**200]
    maps = [ks.compile("gaussian() * match()[0]", dim=3, seed=seed) for seed in seeds]
    frequencies = {part.phasors.frequencies.tobytes() for m in maps for part in m.keyed if part.phasors is not None}
    assert len(frequencies) == 4


def test_free_parameters_are_asked_for() -> None:
    with pytest.raises(ParameterError, match="'s' has no value"):
        ks.compile("param s > 0\ngaussian(scale=s)", dim=3)
    assert ks.compile(ks.parse("param s > 0\ngaussian(scale=s)", {"s": 2}), dim=3).unbiased


def test_only_spec_dim_and_n_features_are_given_by_position() -> None:
    kinds = {name: own.kind for name, own in signature(ks.compile).parameters.items()}
    positional = [name for name, kind in kinds.items() if kind is Parameter.POSITIONAL_OR_KEYWORD]
    assert positional == ["spec", "dim", "n_features"]
    assert set(kinds.values()) == {Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY}


def test_errors_of_the_text_come_through() -> None:
    with pytest.raises(SpecError, match="did you mean 'gaussian'"):
        ks.compile("gausian()", dim=3)


@pytest.mark.filterwarnings("ignore::kernelspec.DeadKernelWarning")  # rows so far apart are strangers
def test_data_decide_between_plans() -> None:
    far = 20 * np.arange(60.0)[:, None]
    for data, method in ((far, "phase"), (far / 1000, "paired")):
        assert ks.compile("cauchy()", data=data, draws="independent", landmarks="never").method == method
    assert ks.compile("cauchy()", data=far, method="paired").method == "paired"
