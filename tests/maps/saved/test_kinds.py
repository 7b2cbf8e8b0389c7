"""Tests of `maps/saved_kinds.py`."""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

import kernelspec
from kernelspec.activations.activation import Activation
from kernelspec.activations.analytic import Oscillation
from kernelspec.analysis.expression_text import NamedLaw
from kernelspec.distributions.distribution import Distribution
from kernelspec.distributions.numerical import Modulus
from kernelspec.elaboration.column_functions import PullBack
from kernelspec.expressions.arguments import Scalar
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.coordinatewise import Laplace
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.of_rows import InnerProduct
from kernelspec.kernels.nodes.columns_and_lags import Named, Unavailable
from kernelspec.laws.law import Law
from kernelspec.maps.codec import check_values
from kernelspec.maps.saved_kinds import ENUMS, PARTS, class_of, name_of
from kernelspec.planning.known_rows import Tabulated
from kernelspec.samples.factor import Factor, FactorRuns
from kernelspec.special.wave_parts import WavePart
from kernelspec.tables.cells import Domain

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
    check_values(Part, GOOD)
    check_values(Part, GOOD | {"kernel": None, "real": 3, "scalar": 2.5, "anything": 1, "pairs": ()})
    check_values(Part, GOOD | {"kernel": Laplace(scale=2.0, dim=2)})


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
        check_values(Part, GOOD | {name: value})


NEVER = (FactorRuns, InnerProduct, Modulus, Named, NamedLaw, Oscillation, PullBack, Tabulated, Unavailable)
"""Never part of a plan: bases of others, what cannot be compiled or is lowered, names in formulas, what pilots keep,
and the law of |X| that a symmetric law is computed by."""


def concrete(base: type) -> Iterator[type]:
    for cls in base.__subclasses__():
        yield from concrete(cls)
        if not inspect.isabstract(cls) and cls.__module__.startswith("kernelspec."):
            yield cls


@pytest.mark.parametrize("base", [Kernel, Law, Distribution, Activation, Domain, Factor])
def test_every_class_has_a_name(base: type) -> None:
    for module in pkgutil.walk_packages(kernelspec.__path__, "kernelspec."):
        if "__main__" not in module.name:
            importlib.import_module(module.name)
    homes = set(PARTS.values())
    missing = {f"{cls.__module__}:{cls.__qualname__}" for cls in concrete(base) if cls not in NEVER} - homes
    assert not missing, f"give these a name in kernelspec/maps/saved_kinds.py: {missing}"


@pytest.mark.parametrize("name", PARTS)
def test_names_lead_to_frozen_dataclasses(name: str) -> None:
    cls = class_of(name)
    assert is_dataclass(cls)
    assert cls.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert name_of(cls.__new__(cls)) == name


def test_enumerations() -> None:
    for name in ENUMS:
        assert issubclass(class_of(name, enum=True), Enum)
        with pytest.raises(ValueError, match="unknown part"):
            class_of(name)


@pytest.mark.parametrize("name", ["kernel.magic", "os:system", "", None, 3, ["kernel.gaussian"]])
def test_nothing_else_is_loaded(name: object) -> None:
    with pytest.raises(ValueError, match="unknown part"):
        class_of(name)
