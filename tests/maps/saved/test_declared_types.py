"""Values against the annotations of dataclass fields."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest

from kernelspec.expressions.arguments import Scalar
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.laplace import Laplace
from kernelspec.maps.saved.classes import check_types
from kernelspec.special.wave_parts import WavePart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.kernels.kernel import Kernel

Word = Literal["one", "two"]


@dataclass(frozen=True)
class Parent:
    kernel: Kernel | None


@dataclass(frozen=True)
class Part(Parent):
    number: int
    real: float
    scalar: Scalar
    anything: Any
    word: Word
    own: Literal["three"]
    pairs: tuple[tuple[str, Fraction], ...]
    array: NDArray[np.float64]
    wave: WavePart


GOOD: dict[str, Any] = {
    "kernel": Gaussian(scale=1.0, dim=1),
    "number": 3,
    "real": math.inf,
    "scalar": Fraction(1, 3),
    "anything": ((1.0, 2), (Fraction(1), -3)),
    "word": "two",
    "own": "three",
    "pairs": (("a", Fraction(1)), ("b", Fraction(2, 3))),
    "array": np.ones(3),
    "wave": WavePart.POSITIVE_SINE,
}


def test_what_fits() -> None:
    check_types(Part, GOOD)
    check_types(Part, GOOD | {"kernel": None, "real": 3, "scalar": 2.5, "anything": 1, "pairs": ()})
    check_types(Part, GOOD | {"kernel": Laplace(scale=2.0, dim=2)})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kernel", 3),
        ("kernel", WavePart.POSITIVE_SINE),
        ("number", True),
        ("number", 3.0),
        ("real", math.nan),
        ("real", "3"),
        ("real", 10**400),
        ("scalar", math.inf),
        ("scalar", None),
        ("scalar", (1.0,)),
        ("anything", "x"),
        ("anything", ((1.0, math.nan),)),
        ("word", "three"),
        ("word", ["one"]),
        ("own", "one"),
        ("pairs", (("a", Fraction(1), 2),)),
        ("pairs", (("a", 1),)),
        ("pairs", ["a"]),
        ("array", (1.0, 2.0)),
        ("wave", "POSITIVE_SINE"),
    ],
)
def test_what_does_not(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{name} must be"):
        check_types(Part, GOOD | {name: value})
