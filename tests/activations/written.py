"""Formulas written as in a spec, for the tests of this folder."""

from __future__ import annotations

from kernelspec.elaboration.arithmetic import NumberArithmetic
from kernelspec.elaboration.elaborate import SpecElaborator
from kernelspec.elaboration.formulas import build_formula
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.expressions.formula import Formula
from kernelspec.language import nodes
from kernelspec.language.parser import parse_program

__all__ = ["written"]


def written(text: str) -> Formula:
    """The formula of `x -> …`."""
    program = parse_program(f"product({text})", "<test>")
    assert isinstance(program.body, nodes.Call)
    (node,) = program.body.positional
    assert isinstance(node, nodes.Lambda)
    return build_formula(SpecElaborator(NumberArithmetic()), node, Columns(1), Definitions())
