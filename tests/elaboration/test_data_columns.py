"""Tests of `elaboration/data_columns.py`."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import kernelspec as ks
from kernelspec.elaboration.data_columns import layout_of, median_value
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import ParameterError
from kernelspec.tables.rows import Rows


@pytest.mark.parametrize(
    ("text", "numeric", "categorical"),
    [
        ("gaussian()", (0, 1, 2, 3), ()),
        ("gaussian()[2, 0]", (0, 2), ()),
        ("gaussian()[0:2] * match()[3]", (0, 1), (3,)),
        ("gaussian()[0] + match()[0]", (0,), (0,)),
        ("(gaussian()[1] + match()[0])[2:4]", (3,), (2,)),
        ("stretch(gaussian()[0], [[1, 0, 0, 0], [0, 1, 0, 0]])", (0, 1, 2, 3), ()),
        ("stretch(gaussian()[0], 2)", (0,), ()),
        ("modulate(gaussian()[0], by=1)", (0, 1, 2, 3), ()),
        ("gaussian() - gaussian()", (), ()),
        ("(laplace() * match()[1])[0, 3]", (0, 3), (3,)),
    ],
)
def test_columns(text: str, numeric: tuple[int, ...], categorical: tuple[int, ...]) -> None:
    columns = Columns(4, ("a", "b", "c", "e"))
    layout = layout_of(ks.parse(text).kernel(columns), columns)
    assert (layout.dim, layout.names) == (4, ("a", "b", "c", "e"))
    assert (layout.numeric, layout.categorical) == (numeric, categorical)


X = np.random.default_rng(0).standard_normal((150, 3)) * [1, 10, 100]


def value(text: str, X: np.ndarray = X) -> float:
    spec = ks.parse(text)
    return median_value(spec, "s", spec.columns(X.shape[1]), Rows(X))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gaussian(s)", np.median(pdist(X))),
        ("laplace(s)", np.median(pdist(X, "cityblock"))),
        ("gaussian(2*s)", np.median(pdist(X)) / 2),
        ("matern(3/2, s)[0:2]*gaussian(5)", np.median(pdist(X[:, :2]))),
        ("stretch(gaussian(), s)", np.median(pdist(X))),
        ("stretch(gaussian(3), [s, 10*s, 100*s])", np.median(pdist(X / [1, 10, 100])) / 3),
        ("stretch(gaussian(s), [1, 10, 100])", np.median(pdist(X / [1, 10, 100]))),
        ("gaussian(s) + 2*match()*gaussian(s)", np.median(pdist(X))),
        ("dual(relu, gaussian(s))", np.median(pdist(X))),
        ("polya(gamma(shape=2, scale=s))", np.median(pdist(X, "cityblock")) / 2),
    ],
)
@pytest.mark.parametrize("line", ["param s", "param s = 7", "param s > 0"])
def test_the_median_of_distance_over_length_is_one(text: str, expected: float, line: str) -> None:
    """Against SciPy's distances of all 150 rows, which are fewer than are looked at."""
    assert value(f"{line}\n{text}") == pytest.approx(expected, rel=5e-4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("s*gaussian()", "only a parameter that is a scale"),
        ("gaussian(s + 1)", "only a parameter that is a scale"),
        ("matern(s, s)", "only a parameter that is a scale"),
        ("stretch(gaussian(s), s)", "only a parameter that is a scale"),
        ("sinc(s)", "only a parameter that is a scale"),
        ("rbf_cosine(s)", "only a parameter that is a scale"),
        ("tilt(gaussian(s), by=s)", "only a parameter that is a scale"),
        ("gaussian()", "only a parameter that is a scale"),
        ("gaussian(s) + laplace(s)", "several kernels, which see other distances"),
        ("gaussian(s)[3]", "there are 3 columns"),
    ],
)
def test_other_parameters_are_refused(text: str, message: str) -> None:
    with pytest.raises(ks.KernelspecError, match=message):
        value(f"param s\n{text}")


def test_equal_rows_have_no_median_distance() -> None:
    with pytest.raises(ParameterError, match="which is 0"):
        value("param s\ngaussian(s)", np.ones((30, 2)))


def test_specs_with_data() -> None:
    spec = ks.parse("param s\nparam t = 2\nparam u\ngaussian(s)[0]*laplace(t)[1] + u*match()[2]")
    found = spec.with_params({"s": "median", "t": "median", "u": 3}, data=X)
    assert found.params == pytest.approx(
        {"s": np.median(pdist(X[:, :1])), "t": np.median(pdist(X[:, 1:2])), "u": 3}, rel=5e-4
    )
    assert ks.parse(str(found)) == ks.parse(str(found)).with_params({})
    with pytest.raises(ParameterError, match="must be < 1"):
        ks.parse("param s < 1\ngaussian(s)").with_params({"s": "median"}, data=X)
    with pytest.raises(ParameterError, match="no parameter 'r'"):
        spec.with_params({"r": "median"}, data=X)
    with pytest.raises(ParameterError, match="scale the same kernel"):
        ks.parse("param s\nparam t\nstretch(gaussian(s), t)").with_params({"s": "median", "t": "median"}, data=X)


def test_without_data_there_is_no_median() -> None:
    with pytest.raises(ParameterError, match="data that are not there"):
        ks.parse("param s\ngaussian(s)", params={"s": "median"})
