"""Specs: immutable, equal by content, printable, loadable, picklable."""

from __future__ import annotations

import copy
import math
import pickle
from dataclasses import FrozenInstanceError
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import kernelspec as ks
from kernelspec.errors import (
    DataError,
    DimensionError,
    FileError,
    ParameterError,
    RangeError,
    SpecError,
    TypeMismatchError,
)
from kernelspec.kernels.leaves.coordinatewise import Laplace
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.kernels.nodes.sums_and_products import Sum
from kernelspec.spec import Spec
from tests.strategies.cases import Case, cases

TEXT = "param s = 2\n\n0.7 * gaussian(scale=s)[age] + 0.3 * laplace()[income]"


def test_equality_and_hash() -> None:
    assert ks.parse("gaussian( 2 )") == ks.parse("gaussian(2)")
    assert hash(ks.parse("gaussian( 2 )")) == hash(ks.parse("gaussian(2)"))
    assert ks.parse("gaussian(2)") != ks.parse("gaussian(scale=2)")
    assert ks.parse(TEXT, {"s": 3}) == ks.parse(TEXT).with_params({"s": 3.0})
    assert ks.parse(TEXT, {"s": 3}) != ks.parse(TEXT)


def test_a_let_with_the_name_of_a_kernel_is_warned_of() -> None:
    with pytest.warns(ks.HiddenNameWarning, match=r"<spec>:2:1: 'let gaussian' has the name of a kernel") as found:
        spec = ks.parse("param s = 2\nlet gaussian = laplace(scale=s)\ngaussian + gaussian()")
    assert found[0].filename == __file__
    assert spec.gram([[0.0]], [[2.0]])[0, 0] == pytest.approx(math.exp(-1) + math.exp(-2))
    for text in ("let mean = gaussian()\nmean", "let radial = gaussian()\nradial"):
        with pytest.warns(ks.HiddenNameWarning):
            ks.parse(text)
    ks.parse("param gamma = 2\nlet wide = rbf_cosine(gamma=gamma)\nwide")


def test_a_notebook_shows_message_and_caret_alone() -> None:
    """By the method that IPython asks an exception for."""
    with pytest.raises(SpecError) as raised:
        ks.parse("2*gausian()")
    assert raised.value._render_traceback_() == [
        "<spec>:1:3: error: unknown kernel 'gausian'; did you mean 'gaussian'?",
        "  2*gausian()",
        "    ^^^^^^^",
    ]


def test_text_goes_round() -> None:
    spec = ks.parse(TEXT)
    assert ks.parse(str(spec)) == spec


def test_immutable() -> None:
    with pytest.raises(FrozenInstanceError):
        ks.parse(TEXT).values = ()


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_copies(copied: object) -> None:
    spec = ks.parse(TEXT, {"s": 1.5})
    assert copied(spec) == spec
    assert copied(spec).params == {"s": 1.5}


def test_load(tmp_path: Path) -> None:
    path = tmp_path / "churn.kernel"
    path.write_text(f"# a comment\n{TEXT}\n", encoding="utf-8")
    assert ks.load(path) == ks.parse(TEXT)
    assert ks.load(str(path), {"s": 4}).params == {"s": 4.0}
    path.write_text("gaussian(sclae=1)", encoding="utf-8")
    with pytest.raises(SpecError) as caught:
        ks.load(path)
    assert str(caught.value).startswith(f"{path}:1:10: error: gaussian() has no argument 'sclae'")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes("gaussian() # gro\xdf".encode("latin-1"))
    with pytest.raises(FileError, match="is not UTF-8 text: byte 16 cannot be read"):
        ks.load(tmp_path / "latin")
    ks.compile("gaussian()", dim=1, n_features=2).save(tmp_path / "map.npz")
    with pytest.raises(
        FileError, match=r"not a spec but an archive, such as a saved map .*: kernelspec show .*map.npz"
    ):
        ks.load(tmp_path / "map.npz")
    with pytest.raises(FileError, match="none cannot be read: No such file or directory"):
        ks.load(tmp_path / "none")


def test_columns_by_name_count_or_inference() -> None:
    spec = ks.parse(TEXT)
    X = np.random.default_rng(0).normal(size=(4, 2))
    facts = ks.analyze(spec)
    assert facts.columns.names == ("age", "income")
    np.testing.assert_allclose(
        facts.characteristic_function(X), np.diag(spec.gram(X, 0 * X, columns=["age", "income"]))
    )
    with pytest.raises(DimensionError, match="the number of columns is needed here"):
        ks.parse("gaussian()").kernel(ks.parse("gaussian()").columns())


def test_numpy_integers_count_columns() -> None:
    assert ks.analyze("gaussian()", dim=np.int64(3)).second_moment == 3


def test_params_are_checked_against_all_lines() -> None:
    with pytest.raises(ParameterError, match="must be > 0"):
        ks.parse("param s > 0\nparam t = 1\ngaussian(t)").with_params({"s": -2})
    assert isinstance(ks.parse(TEXT).with_params({}), Spec)


def test_a_provisional_kernel_needs_neither_columns_nor_values() -> None:
    kernel = ks.parse("param s > 0\ngaussian(scale=s)[age] + laplace()").provisional_kernel()
    assert isinstance(kernel, Sum)
    select, other = kernel.terms
    assert isinstance(select, Select)
    assert isinstance(select.base, Gaussian)
    assert math.isnan(select.base.scale)
    assert isinstance(other, Laplace)


ROWS = np.random.default_rng(0).standard_normal((4, 2))
A = ks.parse("param s > 0\nlet k = gaussian(scale=s)\n0.7*k - laplace()", {"s": 2})
B = ks.parse("let k = cauchy()\nparam t = 3\nk*matern(nu=3/2, scale=t)/2")


def close(spec: ks.Spec, matrix: np.ndarray) -> None:
    """The spec has that kernel matrix, and its text parses to the same kernel."""
    np.testing.assert_allclose(spec.gram(ROWS), matrix, rtol=1e-13, atol=1e-15)
    again = ks.parse(str(spec))
    assert str(again) == str(spec)
    np.testing.assert_array_equal(again.gram(ROWS), spec.gram(ROWS))


def test_operators() -> None:
    a, b = A.gram(ROWS), B.gram(ROWS)
    close(A + B, a + b)
    close(B - A, b - a)
    close(A * B, a * b)
    close(2 * A, 2 * a)
    close(B * 0.25, b / 4)
    close(A / 3, a / 3)
    close(Fraction(1, 3) * B, b / 3)
    close(-A, -a)
    close(-B, -b)
    close(B**3, b**3)
    close(A - 2 * (B - A * B) ** 2, a - 2 * (b - a * b) ** 2)
    close(sum([A, B, A]), 2 * a + b)
    close(0 - A, -a)
    close(np.float64(0.5) * A + B * np.int64(2), a / 2 + 2 * b)


@pytest.mark.slow
@settings(max_examples=30, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(left=cases(max_depth=2), right=cases(max_depth=2))
def test_random_specs(left: Case, right: Case) -> None:
    first, second = ks.parse(left.text), ks.parse(right.text)
    second = second.with_names({name: f"{name}_right" for name in second.params})
    a, b = first.gram(left.rows), second.gram(left.rows)
    # against the terms, not the result: differences may cancel
    np.testing.assert_allclose(
        (first - 0.3 * second).gram(left.rows), a - 0.3 * b, rtol=0, atol=1e-12 * (abs(a) + abs(b)).max()
    )
    np.testing.assert_allclose((first * second).gram(left.rows), a * b, rtol=1e-11, atol=1e-13 * abs(a * b).max())


def test_values_are_kept_and_can_be_changed() -> None:
    total = A + B
    assert total.params == {"s": 2.0, "t": 3.0}
    wider = total.with_params({"s": 5})
    np.testing.assert_allclose(wider.gram(ROWS), (A.with_params({"s": 5}) + B).gram(ROWS), rtol=1e-14)
    with pytest.raises(ParameterError, match="'s' must be > 0"):  # the bound is still there
        total.with_params({"s": -1})


@pytest.mark.parametrize("value", [0.1, 1e-7, Fraction(1, 3), 3, 12345.678])
def test_the_text_has_the_values(value: float) -> None:
    spec = ks.parse("param s > 0\nparam t = 2\ngaussian(scale=s)*laplace(t)").with_params({"s": value})
    again = ks.parse(str(spec))
    np.testing.assert_array_equal(again.gram(ROWS), spec.gram(ROWS))
    if value != Fraction(1, 3):  # written as a quotient, and the default that is a formula is not in `params`
        assert again.params == spec.params
    assert str(again) == str(spec)


def test_a_value_of_too_many_digits() -> None:
    with pytest.raises(ParameterError, match="'s' has an invalid value: this number has 150 digits"):
        ks.parse("param s\ngaussian(scale=s)", {"s": Fraction(10**149 + 1, 3)})


def test_names() -> None:
    renamed = A.with_names({"s": "width"})
    assert renamed.params == {"width": 2.0}
    np.testing.assert_array_equal(renamed.gram(ROWS), A.gram(ROWS))
    assert (A + renamed).params == {"s": 2.0, "width": 2.0}
    for names, message in (
        ({"z": "a"}, "no parameter or let 'z'; it has k, s"),
        ({"s": "k"}, "already uses 'k'"),
        ({"s": "gaussian"}, "already uses 'gaussian'"),
    ):
        with pytest.raises(ParameterError, match=message):
            A.with_names(names)
    with pytest.raises(ks.KernelspecError, match="'a b' is not a valid name"):
        A.with_names({"s": "a b"})
    with pytest.raises(ParameterError, match="with_names needs a dict of old and new names, not 'width'"):
        A.with_names("width")  # type: ignore[arg-type]


def test_calls() -> None:
    np.testing.assert_array_equal(A(ROWS), A.gram(ROWS))
    np.testing.assert_array_equal(A(ROWS, ROWS[:2]), A.gram(ROWS, ROWS[:2]))
    one = A(ROWS[0], ROWS[1])
    assert isinstance(one, float)
    assert one == A.gram(ROWS)[0, 1]
    assert A(ROWS[2].tolist()) == A.gram(ROWS)[2, 2]
    assert ks.parse("match()[0]*gaussian()[1]")(["red", 1.0], ["red", 1.0]) == 1
    assert ks.parse("gaussian()[age]")([1, 2], [2, 2], columns=["size", "age"]) == 1
    for pair in ((ROWS, ROWS[0]), (ROWS[0], ROWS)):
        with pytest.raises(DataError, match="two rows"):
            A(*pair)


def test_scikit_learn_takes_a_spec_for_a_kernel() -> None:
    from sklearn.metrics.pairwise import pairwise_kernels
    from sklearn.svm import SVC

    spec = ks.parse("gaussian()")
    np.testing.assert_allclose(pairwise_kernels(ROWS, metric=spec), spec.gram(ROWS))
    fitted = SVC(kernel=spec).fit(ROWS, [0, 1, 0, 1])
    own = SVC(kernel="rbf", gamma=0.5).fit(ROWS, [0, 1, 0, 1])
    np.testing.assert_allclose(fitted.decision_function(ROWS), own.decision_function(ROWS), atol=1e-6)


def test_what_is_refused() -> None:
    with pytest.raises(TypeMismatchError, match="cannot add a number to a kernel"):
        A + 1
    with pytest.raises(TypeMismatchError, match="cannot add a number to a kernel"):
        2 - A
    with pytest.raises(RangeError, match="finite number, not nan"):
        float("nan") * A
    with pytest.raises(RangeError, match=r"must be a whole number from 1 to 100"):
        A**0.5
    for other in ("gaussian()", None, [1], 1j):
        with pytest.raises(TypeError, match="unsupported operand"):
            A + other
        with pytest.raises(TypeError):
            A * other
    with pytest.raises(TypeError):
        1 / A


def test_a_certificate_is_of_the_kernel_that_its_text_says() -> None:
    spec = ks.parse("param s > 0\ngaussian(scale=s)", {"s": 2})
    certificate = ks.verify(spec, dim=2, n_features=8, n_maps=100)
    np.testing.assert_array_equal(ks.parse(certificate.spec).gram(ROWS), spec.gram(ROWS))
    assert "param s = 2" in str(certificate)
