"""The names of classes in files: every class that a map may consist of has one."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from dataclasses import is_dataclass
from enum import Enum

import pytest

import kernelspec
from kernelspec.activations.activation import Activation
from kernelspec.analysis.expression_text import NamedLaw
from kernelspec.distributions.distribution import Distribution
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.inner_products import InnerProduct
from kernelspec.kernels.nodes.named import Named, Unavailable
from kernelspec.laws.law import Law
from kernelspec.maps.saved.classes import ENUMS, PARTS, class_of, name_of
from kernelspec.planning.known_rows import Tabulated
from kernelspec.samples.factor import Factor, FactorRuns
from kernelspec.tables.cells import Domain

NEVER = (FactorRuns, InnerProduct, Named, NamedLaw, Tabulated, Unavailable)
"""Never part of a plan: bases of others, what cannot be compiled, names in formulas, and what pilots keep."""


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
    assert not missing, f"give these a name in kernelspec/maps/saved/classes.py: {missing}"


@pytest.mark.parametrize("name", PARTS)
def test_names_lead_to_frozen_dataclasses(name: str) -> None:
    cls = class_of(name)
    assert is_dataclass(cls)
    assert cls.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert name_of(cls.__new__(cls)) == name


def test_enumerations() -> None:
    for name in ENUMS:
        assert issubclass(class_of(name, enum=True), Enum)
        with pytest.raises(ValueError, match="there is no part"):
            class_of(name)


@pytest.mark.parametrize("name", ["kernel.magic", "os:system", "", None, 3, ["kernel.gaussian"]])
def test_nothing_else_is_loaded(name: object) -> None:
    with pytest.raises(ValueError, match="there is no part called"):
        class_of(name)
