"""Tests of `elaboration/forms/form.py`."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.elaboration.arithmetic import NumberArithmetic
from kernelspec.elaboration.elaborate import SpecElaborator
from kernelspec.elaboration.forms.form import (
    FORMS,
    arguments_of,
    kernel_and_vector,
    load_form,
    refuse_categories,
    require_given_columns,
)
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.errors import ArgumentError, DimensionError, TypeMismatchError
from kernelspec.kernels.leaves.comparisons import Match
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.nodes.product import Product
from kernelspec.language.nodes import Call
from kernelspec.language.parser import parse_program


@pytest.mark.parametrize("name", FORMS)
def test_every_form_is_written_as_its_signature_says(name: str) -> None:
    form = load_form(name)
    assert form.signature.startswith(f"{name}(")
    with pytest.raises(ks.KernelspecError, match=rf"{name}\(\) (needs|takes)"):
        ks.parse(f"{name}()")


def test_forms_are_listed_by_name() -> None:
    assert list(FORMS) == sorted(FORMS)


def call(text: str) -> Call:
    node = parse_program(text).body
    assert isinstance(node, Call)
    return node


def test_arguments_by_position_and_by_name() -> None:
    kernel, by = arguments_of(call("stretch(by=2, kernel=gaussian())"), "kernel", "by")
    assert isinstance(kernel, Call)
    assert arguments_of(call("stretch(gaussian(), 2)"), "kernel", "by") == (kernel, by)


def test_a_missing_argument_is_named() -> None:
    with pytest.raises(ArgumentError, match=r"stretch\(\) needs the argument 'by': stretch\(kernel, by\)"):
        arguments_of(call("stretch(gaussian())"), "kernel", "by")


def test_a_kernel_and_a_vector() -> None:
    """A number is the constant vector; a vector of another length, and categories, are refused by the form's name."""

    def found(text: str) -> tuple[object, tuple[object, ...]]:
        return kernel_and_vector(SpecElaborator(NumberArithmetic()), call(text), Columns(3), Definitions())

    assert found("tilt(gaussian(), 2)") == (Gaussian(scale=1.0, dim=3), (2, 2, 2))
    assert found("shift(by=[1, -2, 0], kernel=gaussian())")[1] == (1, -2, 0)
    with pytest.raises(DimensionError, match=r"'by' of shift\(\) has 2 entries for 3 columns"):
        found("shift(gaussian(), [1, 2])")
    with pytest.raises(TypeMismatchError, match=r"modulate\(\) acts on differences"):
        found("modulate(match(), 2)")


def test_categories_are_found_below_products() -> None:
    smooth = Gaussian(scale=1.0, dim=1)
    refuse_categories(smooth, call("stretch(gaussian(), 2)"))
    mixed = Product(factors=(smooth, Match(dim=1)), dim=1)
    with pytest.raises(TypeMismatchError, match=r"match\(\) compares categories"):
        refuse_categories(mixed, call("stretch(gaussian()*match(), 2)"))


def test_the_message_reaches_the_reader() -> None:
    with pytest.raises(ks.KernelspecError, match="apply it to the other factors"):
        ks.parse("modulate(match(), 2)")


def test_columns_that_were_only_inferred_are_refused() -> None:
    require_given_columns(call("product(t -> exp(-t))"), Columns(2, ("a", "b")))
    with pytest.raises(DimensionError, match=r"product\(\) applies to all columns, but only some are named"):
        require_given_columns(call("product(t -> exp(-t))"), Columns(2, ("a", "b"), given=False))
