"""Functions of columns, k[log(income), age], from the text to features, saved maps and the command line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.cli import main
from kernelspec.elaboration.column_functions import PullBack
from kernelspec.language.parser import parse_program
from kernelspec.language.printer import format_text, print_node

_N, _MAPS = 24, 30


def _table() -> pd.DataFrame:
    generator = np.random.default_rng(7)
    return pd.DataFrame(
        {
            "income": np.exp(generator.normal(size=_N)),
            "age": generator.uniform(20, 60, _N) / 20,
            "sepal length": generator.uniform(1, 3, _N),
            "lat": generator.uniform(-90, 90, _N),
            "lon": generator.uniform(-180, 180, _N),
            "hour": generator.uniform(0, 24, _N),
            "city": generator.choice(["Oslo", "Rome", "Lima"], _N),
        }
    )


TABLE = _table()


def _squares(*columns: np.ndarray) -> np.ndarray:
    """‖Δ‖² of all pairs of rows with these columns."""
    return np.sum([np.square(np.subtract.outer(column, column)) for column in columns], axis=0)


def _sphere(radius: float) -> tuple[np.ndarray, ...]:
    lat, lon = np.radians(TABLE["lat"].to_numpy()), np.radians(TABLE["lon"].to_numpy())
    return radius * np.cos(lat) * np.cos(lon), radius * np.cos(lat) * np.sin(lon), radius * np.sin(lat)


def _clock(period: float) -> tuple[np.ndarray, ...]:
    angle = 2 * np.pi * TABLE["hour"].to_numpy() / period
    return np.cos(angle), np.sin(angle)


def _own(name: str) -> np.ndarray:
    return TABLE[name].to_numpy()


FORMULAS: dict[str, Callable[[], np.ndarray]] = {
    "gaussian()[log(income), age]": lambda: np.exp(-_squares(np.log(_own("income")), _own("age")) / 2),
    "laplace()[income/age]": lambda: np.exp(-np.sqrt(_squares(_own("income") / _own("age")))),
    'gaussian(scale=2)["sepal length" - 1, max(age, 2)]': lambda: np.exp(
        -_squares(_own("sepal length"), np.maximum(_own("age"), 2)) / 8
    ),
    "param shift = 3\nlet half = 1/2\ngaussian()[(income + shift)**half]": lambda: np.exp(
        -_squares(np.sqrt(_own("income") + 3)) / 2
    ),
    "exponential()[unit_vector(lat, lon)]*match()[city]": lambda: (
        np.exp(-np.sqrt(_squares(*_sphere(1)))) * np.equal.outer(_own("city"), _own("city"))
    ),
    "matern(nu=1/2, scale=4000)[unit_vector(lat, lon, radius=6371)]": lambda: np.exp(
        -np.sqrt(_squares(*_sphere(6371))) / 4000
    ),
    "gaussian()[cycle(hour, 24)] + 0.5*laplace()[log(income)]": lambda: (
        np.exp(-_squares(*_clock(24)) / 2) + np.exp(-np.sqrt(_squares(np.log(_own("income"))))) / 2
    ),
    "(gaussian()[0] + laplace()[exp(column(1))])[log(income), -age]": lambda: (
        np.exp(-_squares(np.log(_own("income"))) / 2) + np.exp(-np.sqrt(_squares(np.exp(-_own("age")))))
    ),
    "sphere()[unit_vector(lat, lon)]": lambda: 1 - _squares(*_sphere(1)) / 2,
    "match()[max(age, 2)]": lambda: np.equal.outer(np.maximum(_own("age"), 2), np.maximum(_own("age"), 2)),
    "(2*gaussian()[age**2])**2": lambda: 4 * np.exp(-_squares(_own("age") ** 2)),
}


@pytest.mark.parametrize("text", FORMULAS)
def test_the_kernel_matrix_is_that_of_the_formula(text: str) -> None:
    np.testing.assert_allclose(ks.parse(text).gram(TABLE), FORMULAS[text](), rtol=0, atol=1e-12)


@pytest.mark.parametrize("text", FORMULAS)
def test_features_have_the_formula_as_their_mean(text: str) -> None:
    """The mean of all inner products over independent maps, in standard errors: P(|t| > 6) < 2e-6 with 29 degrees."""
    exact, means = FORMULAS[text](), []
    for seed in range(_MAPS):
        model = ks.KernelFeatures(text, n_features=16, landmarks="never", random_state=seed)
        features = model.fit(TABLE).transform(TABLE)
        features = features if isinstance(features, np.ndarray) else features.toarray()
        means.append((features @ features.T - exact)[np.triu_indices(_N, 1)].mean())
    assert abs(np.mean(means)) <= 6 * np.std(means, ddof=1) / np.sqrt(_MAPS) + 1e-9


def test_features_with_defaults_are_as_close_as_predicted() -> None:
    text = "laplace()[income/age]"
    exact = FORMULAS[text]()
    model = ks.KernelFeatures(text, random_state=0).fit(TABLE)
    features = model.transform(TABLE)
    error = np.linalg.norm(features @ features.T - exact) / np.linalg.norm(exact)
    assert error <= 6 * model.feature_map_.predicted_error(TABLE) + 1e-7


@pytest.mark.parametrize(
    "text",
    [
        "gaussian()[log(income), age]",
        'gaussian()["sepal length" - 1, -0.5*age**2, 0]',
        'gaussian()["log", unit_vector(lat, "the lon", radius=6371)]',
        "gaussian()[a/b/c, (a - b)*c, -1, 0:3, :, 2:]",
    ],
)
def test_selectors_are_printed_as_they_are_parsed(text: str) -> None:
    program = parse_program(text)
    assert parse_program(print_node(program)) == program
    assert format_text(text) == print_node(program) + "\n"


def test_a_lone_string_is_a_column_as_a_lone_name_is() -> None:
    assert parse_program('gaussian()["age"]') == parse_program("gaussian()[age]")
    assert parse_program('gaussian()["age" + 1]') != parse_program("gaussian()[age + 1]")


@pytest.mark.parametrize(
    ("text", "marked", "words"),
    [
        ("gaussian()[2*3]", "2*3", "this reads no column: a number alone is a position"),
        ("param s = 2\ngaussian()[log(s)]", "log(s)", 'for a column of that name write "s"'),
        (
            "param age = 2\ngaussian()[age*income]",
            "age",
            'a parameter and a column of the table: for the column write "age"',
        ),
        ("gaussian()[log(incom)]", "incom", "there is no column 'incom'; did you mean 'income'?"),
        ("gaussian()[lag(age)]", "lag", "there is no function 'lag' of columns; did you mean 'log'?"),
        ("gaussian()[log(column(9))]", "column(9)", "there is no column 9: there are 7 columns, 0 to 6"),
        ("gaussian()[log(column(age))]", "column(age)", "takes the position of a column, such as column(0)"),
        ("gaussian()[log(income), log(income)]", "log(income)", "log(income) is selected twice"),
        (
            "gaussian()[unit_vector(lat, lon) + 1]",
            "unit_vector(lat, lon)",
            "has several results, and stands in a selection",
        ),
        ("gaussian()[unit_vector(lat)]", "unit_vector(lat)", "needs the argument 'lon'"),
        ("gaussian()[unit_vector(lat, lon, radius=age)]", "age", "'radius' of unit_vector() is a number"),
        ("gaussian()[cycle(hour, 0)]", "0", "'period' of cycle() must be greater than 0"),
        ("gaussian()[besselj(0, age)]", "besselj(0, age)", "not among the functions of columns"),
        ("gaussian()[[age, 1]]", "[age, 1]", "made of numbers and columns"),
        ("gaussian()[match()*age]", "match()", "a formula is made of numbers, and match() is a kernel"),
        ("gaussian()[1.5]", "1.5", "a column's position is a whole number"),
        ("gaussian()[age:income]", "age", "a range of columns is given by positions"),
        ("gaussian('age')", "'age'", "quotes are for names of columns"),
        ("stretch(gaussian()[log(age)], 2)", "stretch(gaussian()[log(age)], 2)", "acts on differences of columns"),
        ("tilt(gaussian()[log(age)], 2)", "tilt(gaussian()[log(age)], 2)", "acts on differences of columns"),
    ],
)
def test_what_is_wrong_with_a_selector_is_shown_at_its_place(text: str, marked: str, words: str) -> None:
    with pytest.raises(ks.SpecError) as caught:
        ks.parse(text).gram(TABLE)
    assert words in str(caught.value)
    assert caught.value.span is not None
    assert caught.value.span.text == marked


@pytest.mark.parametrize(
    ("text", "column", "value", "words"),
    [
        (
            "gaussian()[log(income), age]",
            "income",
            -1.0,
            "log(income) is not a real number in row 3, column 'income' (-1)",
        ),
        ("gaussian()[age/income]", "income", 0.0, "age/income is infinite, or too large for a float, in row 3, column"),
        (
            "gaussian()[unit_vector(lat, lon)]",
            "lat",
            90.5,
            "the latitude is 90.5 in row 3, column 'lat': it must lie between",
        ),
        ("gaussian()[unit_vector(lat, lon)]", "lon", -400.0, "the longitude is -400 in row 3, column 'lon'"),
        ("gaussian()[log(income)]", "income", np.nan, "Input contains NaN in row 3, column 'income'"),
        ("binary()[age - 1]", "age", 2.5, "column 'age - 1' is"),
    ],
)
def test_a_row_outside_of_the_domain_is_named(text: str, column: str, value: float, words: str) -> None:
    bad = TABLE.copy()
    bad.loc[3, column] = value
    with pytest.raises(ks.DataError) as caught:
        ks.parse(text).gram(bad)
    assert words in str(caught.value)


def test_text_is_no_number() -> None:
    with pytest.raises(ks.DataError, match=r"column 'city' holds '.*' in row 0: the kernel needs numbers there"):
        ks.parse("gaussian()[log(city)]").gram(TABLE)


def test_the_verdict_and_the_density_are_those_in_the_mapped_columns() -> None:
    facts, plain = ks.analyze("gaussian()[log(income), age]"), ks.analyze("gaussian()", columns=["log(income)", "age"])
    assert facts.verdict.positive_definite == "proved"
    assert facts.spectral_density == plain.spectral_density
    assert facts.kernel == plain.kernel
    assert "k(g(x), g(y)) is positive definite when k is" in facts.verdict.reasons[-1]
    assert "columns: log(income), age\n  functions of the table's columns: everything below" in facts.report()
    at = np.array([[0.3, 0.4]])
    assert facts.spectral_density_at(at) == pytest.approx(np.exp(-0.125) / (2 * np.pi))


def test_the_dimension_is_the_number_of_mapped_columns() -> None:
    """The norm of four columns in the tent that is a kernel on a line: not on more."""
    tent = "radial(r -> max(0, 1 - r))"
    assert ks.analyze(f"{tent}[log(income)]", columns=list(TABLE)).verdict.positive_definite == "proved"
    assert ks.analyze(f"{tent}[unit_vector(lat, lon)]").verdict.positive_definite == "disproved"


def test_positions_without_names_and_the_number_of_columns() -> None:
    assert str(ks.analyze("gaussian()[log(column(0))]").mapped.names) == "('log(column(0))',)"
    with pytest.raises(ks.DimensionError, match="a kernel on all columns needs their number"):
        ks.analyze("gaussian()[log(column(0))]*laplace()")
    X = TABLE[["income", "age"]].to_numpy()
    expected = FORMULAS["gaussian()[log(income), age]"]()
    np.testing.assert_allclose(ks.parse("gaussian()[log(column(0)), 1]").gram(X), expected, atol=1e-12)
    np.testing.assert_allclose(ks.parse("gaussian()[log(column(-2)), -1]").gram(csr_array(X)), expected, atol=1e-12)
    single = (
        ks.KernelFeatures("gaussian()[log(column(0)), 1]").fit(X.astype(np.float32)).transform(X.astype(np.float32))
    )
    assert single.dtype == np.float32


def test_a_wide_sparse_table_stays_sparse() -> None:
    X = csr_array((np.ones(60), (np.repeat(np.arange(30), 2), np.arange(60) * 7)), shape=(30, 5000))
    found = ks.parse("linear() + gaussian()[exp(column(3)) + column(7)]").gram(X)
    dense, mapped = X.toarray(), np.exp(X.toarray()[:, 3]) + X.toarray()[:, 7]
    np.testing.assert_allclose(found, dense @ dense.T + np.exp(-_squares(mapped) / 2), atol=1e-12)


SAVED = 'gaussian()[log(income), "sepal length" - 1, unit_vector(lat, lon)]*match()[city]'

_ALONE = """
import sys
import numpy as np, pandas as pd, kernelspec as ks
fmap = ks.load_map(sys.argv[1])
np.save(sys.argv[3], fmap.transform(pd.read_pickle(sys.argv[2])).toarray())
names = ("sympy", "lark", "kernelspec.language.parser", "kernelspec.elaboration")
print([name for name in names if name in sys.modules])
"""


def test_a_saved_map_needs_neither_the_parser_nor_sympy(tmp_path: Path) -> None:
    fmap = ks.compile(SAVED, data=TABLE, n_features=64)
    fmap.save(tmp_path / "map.npz")
    TABLE.to_pickle(tmp_path / "table.pkl")
    paths = [str(tmp_path / name) for name in ("map.npz", "table.pkl", "features.npy")]
    run = subprocess.run([sys.executable, "-c", _ALONE, *paths], capture_output=True, text=True, check=False)
    assert run.stdout == "[]\n", run.stderr
    np.testing.assert_array_equal(np.load(paths[2]), fmap.transform(TABLE).toarray())
    assert ks.load_map(paths[0], redraw=True).plan == fmap.plan


def test_partitions_of_dask_have_the_same_bits() -> None:
    dask = pytest.importorskip("dask.dataframe")
    rows = TABLE[["income", "age"]]
    fmap = ks.compile("gaussian()[log(income), age]", data=rows, n_features=32)
    parts = fmap.transform(dask.from_pandas(rows, npartitions=3))
    np.testing.assert_array_equal(np.asarray(parts.compute()), fmap.transform(rows))


def test_the_command_line_reads_the_columns_and_names_the_row(tmp_path: Path) -> None:
    path, out = tmp_path / "table.csv", tmp_path / "features.npy"
    TABLE.to_csv(path, index=False)
    arguments = ["features", "-e", "gaussian()[log(income), age]", str(path), "-o", str(out), "--n-features", "32"]
    found = CliRunner().invoke(main, arguments)
    assert found.exit_code == 0, found.output
    assert "columns read: income, age (2 of 7)" in found.output
    expected = ks.compile("gaussian()[log(income), age]", columns=["income", "age"], n_features=32).transform(TABLE)
    np.testing.assert_allclose(np.load(out), expected, rtol=1e-12, atol=1e-12)
    bad = TABLE.copy()
    bad.loc[3, "income"] = -1.0
    bad.to_csv(path, index=False)
    found = CliRunner().invoke(main, arguments)
    assert found.exit_code == 2
    assert "log(income) is not a real number in row 4, column 'income' (-1) (rows count from 1)" in found.output


def test_other_libraries_and_models() -> None:
    X = TABLE[["income", "age"]].to_numpy()
    names = ["income", "age"]
    text = "param s = 1\ngaussian(scale=s)[log(income), age]"
    kernel = ks.to_sklearn(text, columns=names)
    value, gradient = kernel(X, eval_gradient=True)
    squares = _squares(np.log(X[:, 0]), X[:, 1])
    np.testing.assert_allclose(value, np.exp(-squares / 2), atol=1e-12)
    np.testing.assert_allclose(gradient[..., 0], np.exp(-squares / 2) * squares, atol=1e-12)
    assert not kernel.is_stationary()
    inside = "param s = 1\nparam t = 1\ngaussian(scale=s)[log(income + t), age]"
    with pytest.raises(ks.ParameterError, match=r"'t' is part of a function of columns .* fixed=\['t'\]"):
        ks.to_sklearn(inside, columns=names)(X, eval_gradient=True)
    tuned = ks.tune(inside, TABLE[names], TABLE["hour"], fixed=["t"])
    assert tuned.spec.params["t"] == 1
    fitted = ks.parse(text).with_params({"s": "median"}, data=TABLE[names])
    distances = np.sqrt(squares[np.triu_indices(_N, 1)])
    assert fitted.params["s"] == pytest.approx(np.median(distances), rel=1e-3)
    with pytest.raises(ks.ParameterError, match="cannot be the median distance"):
        ks.parse(inside).with_params({"t": "median"}, data=TABLE[names])


def test_specs_are_added_with_their_parameters_in_functions_renamed() -> None:
    one, other = (ks.parse(f"let c = {c}\ngaussian()[log(income + c)]") for c in (1, 2))
    total = (one + other).gram(TABLE)
    np.testing.assert_allclose(total, one.gram(TABLE) + other.gram(TABLE), atol=1e-12)


def test_a_certificate_and_its_rows() -> None:
    assert ks.verify("gaussian()[log(income), age]", TABLE[["income", "age"]]).passed


def test_a_pull_back_has_no_values_before_it_is_lowered() -> None:
    kernel = ks.parse("gaussian()[log(column(0))]").provisional_kernel()
    assert isinstance(kernel, PullBack)
    assert kernel.verdict().stationary is None
    assert not kernel.is_stationary
