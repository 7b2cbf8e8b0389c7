"""What all forms share: their arguments, and the refusal of categories."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.analysis.forms.form import arguments_of, refuse_categories
from kernelspec.errors import ArgumentError, TypeMismatchError
from kernelspec.kernels.gaussian import Gaussian
from kernelspec.kernels.match import Match
from kernelspec.kernels.product import Product
from kernelspec.language.nodes import Call
from kernelspec.language.parser import parse_program


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


def test_categories_are_found_below_products() -> None:
    smooth = Gaussian(scale=1.0, dim=1)
    refuse_categories(smooth, call("stretch(gaussian(), 2)"))
    mixed = Product(factors=(smooth, Match(dim=1)), dim=1)
    with pytest.raises(TypeMismatchError, match=r"match\(\) compares categories"):
        refuse_categories(mixed, call("stretch(gaussian()*match(), 2)"))


def test_the_message_reaches_the_reader() -> None:
    with pytest.raises(ks.KernelspecError, match="apply it to the other factors"):
        ks.parse("modulate(match(), 2)")
