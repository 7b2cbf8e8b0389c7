"""Grids of base kernels."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import ArgumentError, DimensionError, ParameterError, RangeError, SpecError, TypeMismatchError

X = np.random.default_rng(2).normal(size=(4, 12))


def full(image: str) -> str:
    return f"full(identity, input={image})"


@pytest.mark.parametrize(
    ("base", "value"),
    [
        ("circle()", np.cos),
        ("gaussian(scale=2)", lambda t: np.exp(-(t**2) / 8)),
        ("laplace()", lambda t: np.exp(-np.abs(t))),
        ("0.5*gaussian() + 0.5*cosine(by=3)", lambda t: 0.5 * np.exp(-(t**2) / 2) + 0.5 * np.cos(3 * t)),
    ],
)
def test_every_column_is_a_node_with_the_base_kernel(base: str, value: object) -> None:
    expected = value(X[:, None] - X[None]).mean(axis=2)  # type: ignore[operator]
    found = ks.parse(full(f"image(2, 3, 2, base={base})")).gram(X)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-15)


def test_the_base_is_a_circle_by_default() -> None:
    columns = ks.parse("gaussian()").columns(12)
    plain, written = (ks.parse(full(f"image(2, 3, 2{base})")) for base in ("", ", base=circle()"))
    assert plain.kernel(columns) == written.kernel(columns)


def test_signs_and_categories() -> None:
    signs = np.sign(X)
    np.testing.assert_allclose(ks.parse(full("image(3, 4, 1, base=binary())")).gram(signs), signs @ signs.T / 12)
    words = [["a", "b", "a"], ["a", "a", "c"]]
    np.testing.assert_allclose(ks.parse(full("image(1, 3, 1, base=match())")).gram(words), [[1, 1 / 3], [1 / 3, 1]])
    with pytest.raises(ks.KernelspecError, match=r"row 0, column 0 is .*binary"):
        ks.parse(full("image(3, 4, 1, base=binary())")).gram(X)


def test_columns_in_sight_must_be_that_many() -> None:
    message = r"image\(2, 3, 2\) reads 12 columns, by row, column and channel, and there are 11 columns here"
    with pytest.raises(DimensionError, match=message):
        ks.analyze(full("image(2, 3, 2)"), dim=11)
    with pytest.raises(DimensionError, match="give dim=12 or columns="):
        ks.analyze(full("image(2, 3, 2)"))
    found = ks.parse(full("image(2, 3, 1)") + "[6:12]").gram(X)
    np.testing.assert_allclose(found, ks.parse(full("image(2, 3, 1)")).gram(X[:, 6:]))


def test_columns_that_were_only_named_are_none_of_its_own() -> None:
    with pytest.raises(DimensionError, match=r"image\(1, 1, 1\) reads 1 column, but only some are named"):
        ks.analyze(full("image(1, 1, 1)") + " * gaussian()[age]")


@pytest.mark.parametrize(
    ("image", "error", "message"),
    [
        ("image(2, 3)", ArgumentError, r"image\(\) needs the argument 'channels'"),
        ("image(2, 3, 2, bse=circle())", ArgumentError, "did you mean 'base'"),
        ("image(2, 0, 2)", RangeError, "'width' of image.* must be a whole number from 1 to 1,000,000, not 0"),
        ("image(2, 2.5, 2)", RangeError, "not 2.5"),
        ("image(circle(), 3, 2)", TypeMismatchError, "'height' of image.* must be a number, not a kernel"),
        ("image(image(1, 1, 1), 3, 2)", TypeMismatchError, "'height' of image.* must be a number, not a grid"),
        ("image(2, 3, 2, base=3)", TypeMismatchError, "a number stands where a kernel is needed"),
        ("image(2, 3, 2, base=2*circle())", RangeError, r"k\(x, x\) = 1, and here it is 2: write base=normalize"),
        ("image(2, 3, 2, base=2*circle() - gaussian())", RangeError, r"the size 3 where k\(x, x\) = 1, as those"),
        ("image(2, 3, 2, base=tilt(gaussian(), by=.3))", RangeError, r"1\.04603 where .*differences and shifts"),
        ("image(2, 3, 2, base=shift_gaussian(by=.1))", RangeError, r"the size 1 where k\(x, x\) = 0\.995012"),
        ("image(2, 3, 2, base=gaussian() - gaussian())", RangeError, r"k\(x, x\) = 1, and here it is 0\n"),
        ("image(2, 3, 2, base=linear())", RangeError, "have no bound"),
        ("image(2, 3, 2, base=sphere())", TypeMismatchError, r"on one column write binary\(\)"),
        ("image(2, 3, 2, base=image(1, 1, 1))", TypeMismatchError, "a grid of kernels stands where a kernel is needed"),
        ("image(4000, 4000, 3)", RangeError, "48,000,000 columns here, and at most 2,000,000"),
    ],
)
def test_what_it_refuses(image: str, error: type[SpecError], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        ks.parse(full(image))
    assert caught.value.span is not None


def test_errors_point_at_the_argument() -> None:
    with pytest.raises(RangeError) as caught:
        ks.parse("full(relu, input=image(2, 0, 2))")
    assert str(caught.value).splitlines()[-1] == " " * 28 + "^"


def test_sizes_may_be_parameters() -> None:
    spec = ks.parse("param n > 0\nfull(identity, input=image(n, 3, 2))")
    np.testing.assert_allclose(spec.with_params({"n": 2}).gram(X), ks.parse(full("image(2, 3, 2)")).gram(X), rtol=1e-15)
    with pytest.raises(ParameterError):
        spec.gram(X)
    with pytest.raises(ParameterError, match=r"'height' of image.* must be known here"):
        spec.symbolic_kernel(spec.columns(12))
