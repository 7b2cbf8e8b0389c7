"""Tests of `elaboration/forms/grids.py`."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.activations.analytic import Exp
from kernelspec.activations.piecewise import Relu
from kernelspec.elaboration.forms.grids import Grid, mean_of
from kernelspec.errors import (
    ArgumentError,
    DimensionError,
    ParameterError,
    RangeError,
    SpecError,
    TypeMismatchError,
    UnknownNameError,
)
from kernelspec.kernels.leaves.discrete import Circle
from kernelspec.kernels.nodes.skeleton import Image, Skeleton


def skeleton(text: str, dim: int = 48) -> Skeleton:
    spec = ks.parse(text)
    found = spec.kernel(spec.columns(dim))
    assert isinstance(found, Skeleton)
    return found


def test_stride_and_padding_have_defaults() -> None:
    written = "full(relu, input=conv(relu, size=3{}, input=image(4, 4, 3)))"
    assert skeleton(written.format(", stride=1, padding=valid")) == skeleton(written.format(""))
    assert skeleton(written.format("")).layers[0].windows.shape == (2, 2)
    assert skeleton(written.format(", padding=same")).layers[0].windows.shape == (4, 4)
    by_position = "full(relu, conv(relu, 3, 2, same, image(4, 4, 3)))"
    assert skeleton(by_position).layers[0].windows.shape == (2, 2)


def test_lets_may_name_grids_and_activations() -> None:
    text = (
        "let bump = exp(c=1/4)\nlet pixels = image(4, 4, 3)\nlet first = conv(bump, size=2, input=pixels)\n"
        "full(relu, input=conv(bump, size=3, input=first))"
    )
    plain = "full(relu, input=conv(exp(c=1/4), size=3, input=conv(exp(c=1/4), size=2, input=image(4, 4, 3))))"
    assert skeleton(text) == skeleton(plain)
    spec = ks.parse(text)
    assert ks.parse(str(spec)) == spec


@pytest.mark.parametrize(
    ("text", "error", "message", "pointed"),
    [
        ("conv(relu, size=2)", ArgumentError, r"conv\(\) needs the argument 'input'", "conv(relu, size=2)"),
        ("conv(relu, input=image(4, 4, 3))", ArgumentError, r"needs the argument 'size'", None),
        ("conv(relu, size=2, sride=2, input=image(4, 4, 3))", ArgumentError, "did you mean 'stride'", "sride"),
        ("conv(rleu, size=2, input=image(4, 4, 3))", UnknownNameError, "did you mean 'relu'", "rleu"),
        ("conv(3, size=2, input=image(4, 4, 3))", TypeMismatchError, "an activation,", "3"),
        ("conv(relu, size=0, input=image(4, 4, 3))", RangeError, "'size' of conv.* from 1 to .*, not 0", "0"),
        ("conv(relu, size=2, stride=1/2, input=image(4, 4, 3))", RangeError, "'stride' of conv.* not 0.5", "1/2"),
        ("conv(relu, size=5, input=image(4, 4, 3))", RangeError, "5 × 5 does not fit .* 4 × 4 .*padding=same", "5"),
        ("conv(relu, size=2, padding=smae, input=image(4, 4, 3))", TypeMismatchError, "did you mean 'same'", "smae"),
        ("conv(relu, size=2, padding=1, input=image(4, 4, 3))", TypeMismatchError, "valid or same", "1"),
        ("conv(relu, size=2, input=gaussian())", TypeMismatchError, "'input' of conv.* must be a grid", "gaussian()"),
        ("conv(relu, size=2, input=2)", TypeMismatchError, "'input' of conv.* must be a grid", "2"),
    ],
)
def test_what_it_refuses(text: str, error: type[SpecError], message: str, pointed: str | None) -> None:
    with pytest.raises(error, match=message) as caught:
        ks.parse(f"full(relu, input={text})")
    lines = str(caught.value).splitlines()
    if pointed is not None:
        start = lines[-1].index("^")
        assert lines[-2][start : start + lines[-1].count("^")] == pointed


@pytest.mark.parametrize(
    "text",
    [
        "conv(relu, size=2, input=image(4, 4, 3))",
        "image(4, 4, 3)",
        "gaussian() * image(4, 4, 3)",
        "image(4, 4, 3) ** 2",
        "-image(4, 4, 3)",
        "shift(image(4, 4, 3), 1)",
        "gaussian(scale=image(4, 4, 3))",
        "gaussian() + image(4, 4, 3)",
        "image(4, 4, 3)[0:48]",
        "stretch(gaussian(), [image(4, 4, 3)])",
    ],
)
def test_a_grid_is_no_kernel_and_no_number(text: str) -> None:
    with pytest.raises(TypeMismatchError):
        ks.parse(text)


def test_what_to_do_with_a_grid_is_said() -> None:
    with pytest.raises(TypeMismatchError, match=r"expected a kernel, not a grid: write full\(relu, input=…\)"):
        ks.parse("conv(relu, size=2, input=image(4, 4, 3))")
    with pytest.raises(TypeMismatchError, match="must be a number, not a grid"):
        ks.parse("gaussian() * image(4, 4, 3)")


X_OF_FULL = np.random.default_rng(3).uniform(0, 3, size=(3, 12))


def test_is_the_dual_of_the_mean() -> None:
    mean = np.cos(X_OF_FULL[:, None] - X_OF_FULL[None]).mean(axis=2)
    np.testing.assert_allclose(ks.parse("full(exp(c=2), input=image(2, 3, 2))").gram(X_OF_FULL), np.exp(2 * (mean - 1)))
    np.testing.assert_allclose(ks.parse("full(hermite(n=3), image(2, 3, 2))").gram(X_OF_FULL), mean**3)


def test_agrees_with_layers_of_kernels() -> None:
    columns = ", ".join(f"circle()[{i}]" for i in range(4))
    one_by_one = ks.parse(f"layer(relu, {columns})").gram(X_OF_FULL[:, :4])
    np.testing.assert_allclose(
        ks.parse("full(relu, input=image(2, 2, 1))").gram(X_OF_FULL[:, :4]), one_by_one, rtol=1e-13
    )


@pytest.mark.parametrize("text", ["full()", "full(relu)"])
def test_needs_an_activation_and_an_input(text: str) -> None:
    with pytest.raises(
        ArgumentError, match=r"full\(\) needs the argument '(activation|input)': full\(activation, input\)"
    ):
        ks.parse(text)


def test_is_no_grid_itself() -> None:
    with pytest.raises(TypeMismatchError, match=r"full.* is a kernel"):
        ks.parse("full(relu, input=full(relu, input=image(2, 3, 2)))")


def test_grids_without_a_mean() -> None:
    for other, message in (
        ("conv(relu, size=3, padding=same, input=image(6, 8, 3))", "one has 6 × 8 × 3 nodes, another 6 × 8 × 1"),
        ("image(6, 8, 3, base=binary())", "they have different images"),
    ):
        with pytest.raises(DimensionError, match=rf"mean\(\) needs grids of one shape over one image: {message}"):
            ks.parse(f"full(relu, input=mean(image(6, 8, 3), {other}))")


def test_a_spec_with_free_sizes_can_be_checked() -> None:
    spec = ks.parse("param n > 0\nfull(relu, input=conv(relu, size=n, input=image(n, n, 3)))")
    np.testing.assert_allclose(
        spec.with_params({"n": 2}).gram(X_OF_FULL),
        ks.parse("full(relu, input=conv(relu, size=2, input=image(2, 2, 3)))").gram(X_OF_FULL),
    )


X_OF_IMAGE = np.random.default_rng(2).normal(size=(4, 12))


def full(image: str) -> str:
    return f"full(identity, input={image})"


def test_the_base_is_a_circle_by_default() -> None:
    columns = ks.parse("gaussian()").columns(12)
    plain, written = (ks.parse(full(f"image(2, 3, 2{base})")) for base in ("", ", base=circle()"))
    assert plain.kernel(columns) == written.kernel(columns)


def test_signs_and_categories() -> None:
    signs = np.sign(X_OF_IMAGE)
    np.testing.assert_allclose(ks.parse(full("image(3, 4, 1, base=binary())")).gram(signs), signs @ signs.T / 12)
    words = [["a", "b", "a"], ["a", "a", "c"]]
    np.testing.assert_allclose(ks.parse(full("image(1, 3, 1, base=match())")).gram(words), [[1, 1 / 3], [1 / 3, 1]])
    with pytest.raises(ks.KernelspecError, match=r"row 0, column 0 is .*binary"):
        ks.parse(full("image(3, 4, 1, base=binary())")).gram(X_OF_IMAGE)


def test_columns_in_sight_must_be_that_many() -> None:
    message = r"image\(2, 3, 2\) reads 12 columns, by row, column and channel, and there are 11 columns here"
    with pytest.raises(DimensionError, match=message):
        ks.analyze(full("image(2, 3, 2)"), dim=11)
    with pytest.raises(DimensionError, match="set dim=12 or columns="):
        ks.analyze(full("image(2, 3, 2)"))
    found = ks.parse(full("image(2, 3, 1)") + "[6:12]").gram(X_OF_IMAGE)
    np.testing.assert_allclose(found, ks.parse(full("image(2, 3, 1)")).gram(X_OF_IMAGE[:, 6:]))


def test_columns_that_were_only_named_are_none_of_its_own() -> None:
    with pytest.raises(DimensionError, match=r"image\(1, 1, 1\) reads 1 column, but the spec only names some"):
        ks.analyze(full("image(1, 1, 1)") + " * gaussian()[age]")


@pytest.mark.parametrize(
    ("image", "error", "message"),
    [
        ("image(2, 3)", ArgumentError, r"image\(\) needs the argument 'channels'"),
        ("image(2, 3, 2, bse=circle())", ArgumentError, "did you mean 'base'"),
        ("image(2, 1.5, 2)", RangeError, "'width' of image.* must be a whole number from 1 to 1,000,000, not 1.5"),
        ("image(2, 0, 2)", RangeError, "'width' of image.* must be a whole number from 1 to 1,000,000, not 0"),
        ("image(2, 2.5, 2)", RangeError, "not 2.5"),
        ("image(circle(), 3, 2)", TypeMismatchError, "'height' of image.* must be a number, not a kernel"),
        ("image(image(1, 1, 1), 3, 2)", TypeMismatchError, "'height' of image.* must be a number, not a grid"),
        ("image(2, 3, 2, base=3)", TypeMismatchError, "expected a kernel, not a number"),
        ("image(2, 3, 2, base=2*circle())", RangeError, r"k\(x, x\) = 1, but it is 2: write base=normalize"),
        ("image(2, 3, 2, base=2*circle() - gaussian())", RangeError, r"size 3 where k\(x, x\) = 1, as those"),
        ("image(2, 3, 2, base=tilt(gaussian(), by=.3))", RangeError, r"1\.04603 where .*differences and shifts"),
        ("image(2, 3, 2, base=shift_gaussian(by=.1))", RangeError, r"size 1 where k\(x, x\) = 0\.995012"),
        ("image(2, 3, 2, base=gaussian() - gaussian())", RangeError, r"k\(x, x\) = 1, but it is 0\n"),
        ("image(2, 3, 2, base=linear())", RangeError, r"linear\(\) is unbounded"),
        ("image(2, 3, 2, base=brownian(until=3))", RangeError, r"but brownian\(\) is unbounded"),
        ("image(2, 3, 2, base=sphere())", TypeMismatchError, r"for one column, use binary\(\)"),
        ("image(2, 3, 2, base=image(1, 1, 1))", TypeMismatchError, "a kernel, not a grid: write"),
        ("image(4000, 4000, 3)", RangeError, "48,000,000 columns here, but at most 2,000,000"),
    ],
)
def test_what_it_refuses_image(image: str, error: type[SpecError], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        ks.parse(full(image))
    assert caught.value.span is not None


def test_sizes_may_be_parameters() -> None:
    spec = ks.parse("param n > 0\nfull(identity, input=image(n, 3, 2))")
    np.testing.assert_allclose(
        spec.with_params({"n": 2}).gram(X_OF_IMAGE), ks.parse(full("image(2, 3, 2)")).gram(X_OF_IMAGE), rtol=1e-15
    )
    with pytest.raises(ParameterError):
        spec.gram(X_OF_IMAGE)
    with pytest.raises(ParameterError, match=r"'height' of image.* must be known here"):
        spec.symbolic_kernel(spec.columns(12))


IMAGE = Image(6, 8, 3, Circle(dim=1))


def test_the_mean_of_grids_has_every_layer_once() -> None:
    image = Grid(IMAGE)
    first = image.under(Relu(), 3, 1, "same")
    second = image.under(Exp(c=1.0), 3, 1, "same")
    third = first.under(Relu(), 3, 1, "same")
    mean = mean_of([first, second, third])
    assert mean.shape == (6, 8, 1)
    # grids 0 (image), 1 (first), 2 (second), 3 (third, on first), counted back from the next
    assert [layer.below for layer in mean.layers] == [(-1,), (-2,), (-2,)]
    assert mean.top == (-3, -2, -1)
    assert mean.under(Relu(), None).layers[-1].below == (-3, -2, -1)
    assert mean_of([first, first]).layers == first.layers
    assert mean_of([mean_of([first, second]), third]).top == (-3, -2, -1, -1)
    gray = Grid(Image(6, 8, 1, Circle(dim=1)))
    beside = mean_of([gray, gray.under(Relu(), 3, 1, "same")])
    assert beside.top == (-2, -1)
    assert beside.shape == (6, 8, 1)
    assert mean_of([Grid(None), image]) == Grid(None)
