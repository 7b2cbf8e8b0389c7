"""Layers of windows."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import ArgumentError, RangeError, SpecError, TypeMismatchError, UnknownNameError
from kernelspec.kernels.nodes.skeleton import Skeleton

X = np.random.default_rng(3).uniform(0, 3, size=(3, 48))


def skeleton(text: str, dim: int = 48) -> Skeleton:
    spec = ks.parse(text)
    found = spec.kernel(spec.columns(dim))
    assert isinstance(found, Skeleton)
    return found


def test_a_node_for_every_window() -> None:
    # windows of 2 × 2 at the four corners of 4 × 4 places of 3 channels, by hand
    base = np.cos(X[:, None] - X[None]).reshape(3, 3, 2, 2, 2, 2, 3)
    expected = np.exp(base.mean(axis=(3, 5, 6)) - 1).mean(axis=(2, 3))
    text = "full(identity, input=conv(exp(c=1), size=2, stride=2, input=image(4, 4, 3)))"
    np.testing.assert_allclose(ks.parse(text).gram(X), expected, rtol=1e-13)


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
        ("conv(3, size=2, input=image(4, 4, 3))", TypeMismatchError, "an activation is needed here", "3"),
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
    with pytest.raises(TypeMismatchError, match=r"a grid of kernels stands .*: full\(relu, input=…\) makes one of it"):
        ks.parse("conv(relu, size=2, input=image(4, 4, 3))")
    with pytest.raises(TypeMismatchError, match="must be a number, not a grid"):
        ks.parse("gaussian() * image(4, 4, 3)")
