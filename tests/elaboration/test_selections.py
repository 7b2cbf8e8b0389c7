"""Tests of `elaboration/selections.py`."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist

import kernelspec as ks
from kernelspec.elaboration import selections
from kernelspec.elaboration.data_columns import layout_of
from kernelspec.elaboration.medians import median_value
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import ColumnError, ParameterError
from kernelspec.tables.rows import Rows

NAMES = ["a", "b", "c", "e"]
X = np.random.default_rng(0).normal(size=(5, 4))


def matrix(columns: list[int]) -> np.ndarray:
    """exp(−Σ|Δ|) on some of the columns."""
    return np.exp(-sum(np.abs(np.subtract.outer(X[:, i], X[:, i])) for i in columns))


@pytest.mark.parametrize(
    ("selection", "columns"),
    [
        ("[b]", [1]),
        ("[a, e]", [0, 3]),
        ("[1]", [1]),
        ("[-1]", [3]),
        ("[0:2]", [0, 1]),
        ("[1:]", [1, 2, 3]),
        ("[:-1]", [0, 1, 2]),
        ("[-2:]", [2, 3]),
        ("[:]", [0, 1, 2, 3]),
        ("[a, 2:4]", [0, 2, 3]),
        ("[1][b, e]", [3]),
        ("[e][1:]", [3]),
        ("[1:][0:3][-3:]", [2, 3]),
        ('["c"]', [2]),
    ],
)
def test_positions_and_names(selection: str, columns: list[int]) -> None:
    spec = ks.parse(f"laplace(){selection}")
    np.testing.assert_allclose(spec.gram(X, columns=NAMES), matrix(columns), rtol=1e-12)
    assert set(ks.analyze(spec, columns=NAMES).kernel.free_symbols) == {
        s for i in columns for s in ks.analyze(f"laplace()[{NAMES[i]}]", columns=NAMES).kernel.free_symbols
    }


def test_d_is_the_number_selected() -> None:
    expected = np.exp(
        -np.abs(np.subtract.outer(X[:, 0], X[:, 0])) / 3 - np.abs(np.subtract.outer(X[:, 1], X[:, 1])) / 3
    )
    np.testing.assert_allclose(ks.parse("laplace(d + 1)[0:2]").gram(X), expected)


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        ("[f]", "unknown column 'f'; use one of a, b, c, e"),
        ("[E]", "unknown column 'E'; did you mean 'e'?"),
        ("[4]", "column 4 is out of range: there are 4 columns, 0 to 3"),
        ("[-5]", "column -5 is out of range: there are 4 columns, 0 to 3"),
        ("[2][a]", "column 2 is out of range: there is one column, 0"),
        ("[0:5]", "the slice is out of range: there are 4 columns, 0 to 3"),
        ("[2:2]", "this slice selects no column"),
        ("[a, 0]", "column 'a' is selected twice: remove one"),
        ("[0:3, -2]", "column 'c' is selected twice: remove one"),
    ],
)
def test_refused(selection: str, message: str) -> None:
    with pytest.raises(ColumnError) as caught:
        ks.parse(f"laplace(){selection}").gram(X, columns=NAMES)
    assert caught.value.message == message


def test_names_need_names() -> None:
    with pytest.raises(ColumnError, match="this table has no column names"):
        ks.parse("laplace()[a]").gram(X)


def test_two_columns_of_one_name() -> None:
    with pytest.raises(ColumnError, match="several columns have the name 'a': rename one"):
        ks.parse("laplace()[a]").gram(X[:, :2], columns=["a", "a"])


@pytest.mark.parametrize("selection", ["[-1]", "[1:]", "[:-1]"])
def test_counting_from_the_end_needs_the_end(selection: str) -> None:
    with pytest.raises(ColumnError, match="needs the number of columns"):
        ks.analyze(f"laplace(){selection}")


def test_twice_the_same_name_is_seen_at_once() -> None:
    with pytest.raises(ColumnError, match="column 'a' is selected twice"):
        ks.parse("laplace()[a, b, a]")


def test_twice_the_same_position_is_seen_without_names() -> None:
    for selection, column in (("[0:3, 2]", 2), ("[1, 0:2]", 1), ("[0:2, 1:4]", 1), ("[3, 3]", 3)):
        with pytest.raises(ColumnError, match=f"column {column} is selected twice"):
            ks.parse(f"laplace(){selection}").gram(X)


def test_a_column_of_a_name_that_another_has_is_selected_by_position() -> None:
    chosen = ks.parse("laplace()[0:2]").gram(X[:, :3], columns=["a", "a", "b"])
    np.testing.assert_allclose(chosen, matrix([0, 1]), rtol=1e-12)


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


X_OF_DATA_COLUMNS = np.random.default_rng(0).standard_normal((150, 3)) * [1, 10, 100]


def value(text: str, X_OF_DATA_COLUMNS: np.ndarray = X_OF_DATA_COLUMNS) -> float:
    spec = ks.parse(text)
    return median_value(spec, "s", spec.columns(X_OF_DATA_COLUMNS.shape[1]), Rows(X_OF_DATA_COLUMNS))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gaussian(s)", np.median(pdist(X_OF_DATA_COLUMNS))),
        ("laplace(s)", np.median(pdist(X_OF_DATA_COLUMNS, "cityblock"))),
        ("gaussian(2*s)", np.median(pdist(X_OF_DATA_COLUMNS)) / 2),
        ("matern(3/2, s)[0:2]*gaussian(5)", np.median(pdist(X_OF_DATA_COLUMNS[:, :2]))),
        ("stretch(gaussian(), s)", np.median(pdist(X_OF_DATA_COLUMNS))),
        ("stretch(gaussian(3), [s, 10*s, 100*s])", np.median(pdist(X_OF_DATA_COLUMNS / [1, 10, 100])) / 3),
        ("stretch(gaussian(s), [1, 10, 100])", np.median(pdist(X_OF_DATA_COLUMNS / [1, 10, 100]))),
        ("gaussian(s) + 2*match()*gaussian(s)", np.median(pdist(X_OF_DATA_COLUMNS))),
        ("dual(relu, gaussian(s))", np.median(pdist(X_OF_DATA_COLUMNS))),
        ("polya(gamma(shape=2, scale=s))", np.median(pdist(X_OF_DATA_COLUMNS, "cityblock")) / 2),
        ("additive(gaussian(s), order=2)", np.median([pdist(own[:, None]) for own in X_OF_DATA_COLUMNS.T])),
        ("each(laplace(s)[0])[1:3]", np.median([pdist(own[:, None]) for own in X_OF_DATA_COLUMNS.T[1:]])),
    ],
)
@pytest.mark.parametrize("line", ["param s", "param s = 7", "param s > 0"])
def test_the_median_of_distance_over_length_is_one(text: str, expected: float, line: str) -> None:
    """Against SciPy's distances of all 150 rows, which are fewer than are looked at."""
    assert value(f"{line}\n{text}") == pytest.approx(expected, rel=5e-4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("s*gaussian()", "only works for a scale"),
        ("gaussian(s + 1)", "only works for a scale"),
        ("matern(s, s)", "only works for a scale"),
        ("stretch(gaussian(s), s)", "only works for a scale"),
        ("sinc(s)", "only works for a scale"),
        ("rbf_cosine(s)", "only works for a scale"),
        ("tilt(gaussian(s), by=s)", "only works for a scale"),
        ("gaussian()", "only works for a scale"),
        ("gaussian(s) + additive(gaussian(s), order=2)", "kernels with different median distances"),
        ("gaussian(s) + laplace(s)", "kernels with different median distances"),
        ("gaussian(s)[3]", "column 3 is out of range"),
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
    found = spec.with_params({"s": "median", "t": "median", "u": 3}, data=X_OF_DATA_COLUMNS)
    assert found.params == pytest.approx(
        {"s": np.median(pdist(X_OF_DATA_COLUMNS[:, :1])), "t": np.median(pdist(X_OF_DATA_COLUMNS[:, 1:2])), "u": 3},
        rel=5e-4,
    )
    assert ks.parse(str(found)) == ks.parse(str(found)).with_params({})
    with pytest.raises(ParameterError, match="must be < 1"):
        ks.parse("param s < 1\ngaussian(s)").with_params({"s": "median"}, data=X_OF_DATA_COLUMNS)
    with pytest.raises(ParameterError, match="no parameter 'r'"):
        spec.with_params({"r": "median"}, data=X_OF_DATA_COLUMNS)
    with pytest.raises(ParameterError, match="scale the same kernel"):
        ks.parse("param s\nparam t\nstretch(gaussian(s), t)").with_params(
            {"s": "median", "t": "median"}, data=X_OF_DATA_COLUMNS
        )


def test_without_data_there_is_no_median() -> None:
    with pytest.raises(ParameterError, match="needs data for a median distance"):
        ks.parse("param s\ngaussian(s)", params={"s": "median"})


def test_functions_are_elaborated_once_for_all_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rank has a hundred quantiles; the spec of other values reads the same ones."""
    spec = ks.parse("param s = 2\ngaussian(scale=s)[rank(x, [1, 2, 4]), log(1 + y)]")
    rows = {"x": np.array([1.0, 2.5, 4.0]), "y": [0.0, 1.0, 3.0]}
    expected = ks.parse("gaussian(scale=3)[rank(x, [1, 2, 4]), log(1 + y)]").gram(rows)
    spec.gram(rows)
    monkeypatch.setattr(selections, "functions_of", None)
    other = spec.with_params({"s": 3})
    np.testing.assert_array_equal(other.gram(rows), expected)
    assert pickle.loads(pickle.dumps(other)).functions == {}


def test_functions_that_read_a_parameter_follow_it() -> None:
    spec = ks.parse("param c = 2\ngaussian()[log(c + x)]")
    rows = {"x": [1.0, 5.0]}
    for c in (2, 3):
        expected = ks.parse(f"gaussian()[log({c} + x)]").gram(rows)
        np.testing.assert_allclose(spec.with_params({"c": c}).gram(rows), expected, rtol=1e-15)


@pytest.mark.parametrize("scale", ["1", "0.1", "10"])
def test_medians_of_columns_are_those_of_each_column_alone(scale: str) -> None:
    X = np.random.default_rng(4).standard_normal((60, 300)) * np.geomspace(1e-3, 1e3, 300)
    expected = [float(f"{np.median(pdist(own[:, None])):.4g}") for own in X.T]
    text = str(ks.parse(f"stretch(gaussian(scale={scale}), median)").fitted(X)).replace("\n", " ")
    numbers = text[text.index("[") + 1 : text.index("]")].rstrip(", ").split(",")
    assert [float(own) for own in numbers] == expected


@pytest.mark.parametrize(
    ("text", "names", "column"),
    [
        ("σ", ["a", "σ"], 1),
        ("log(1 + σ)", ["a", "σ"], 1),
        ("sigma", ["a", "σ"], 1),
        ("σ", ["sigma", "a"], 0),
        ("sigma", ["σ", "sigma"], 1),
        ('"σ"', ["σ", "sigma"], 0),
    ],
)
def test_names_of_greek_letters(text: str, names: list[str], column: int) -> None:
    table = pd.DataFrame([[1.0, 2.0], [3.0, 5.0]], columns=names)
    values = table.iloc[:, column].to_numpy()
    values = np.log1p(values) if "log" in text else values
    spec = ks.parse(f"linear()[{text}]")
    for own in (spec, ks.parse(str(spec))):
        np.testing.assert_allclose(own.gram(table), np.outer(values, values))


def test_a_name_that_may_mean_two_columns() -> None:
    table = pd.DataFrame([[1.0, 2.0]], columns=["σ", "sigma"])
    for text in ("linear()[σ]", "linear()[log(1 + σ)]"):
        with pytest.raises(ColumnError, match=r'spelled .sigma. in ASCII: write "σ" in quotes'):
            ks.parse(text).gram(table)


def test_a_name_that_may_mean_a_parameter_and_a_column_of_greek_letters() -> None:
    with pytest.raises(ColumnError, match=r'.sigma. is both a parameter and a column: for the column, write "σ"'):
        ks.parse("param sigma = 2\ngaussian()[a + σ]").gram(pd.DataFrame([[1.0, 2.0]], columns=["σ", "a"]))
