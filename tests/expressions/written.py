"""Formulas written as in a spec, with the same functions in mpmath, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import mpmath as mp

from kernelspec.elaboration.arithmetic import NumberArithmetic
from kernelspec.elaboration.elaborate import SpecElaborator
from kernelspec.elaboration.formulas import build_formula
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.expressions.formula import Formula
from kernelspec.language import nodes
from kernelspec.language.parser import parse_program

__all__ = ["POLYA", "SMOOTH", "mixtures", "written"]


def written(text: str) -> Formula:
    """The formula of `t -> …`."""
    program = parse_program(f"product({text})", "<test>")
    assert isinstance(program.body, nodes.Call)
    (node,) = program.body.positional
    assert isinstance(node, nodes.Lambda)
    return build_formula(SpecElaborator(NumberArithmetic()), node, Columns(1), Definitions())


POLYA: dict[str, Callable[[Any], Any]] = {
    "t -> exp(-t)": lambda t: mp.exp(-t),
    "t -> exp(-t/3)": lambda t: mp.exp(-t / 3),
    "t -> exp(-sqrt(t))": lambda t: mp.exp(-mp.sqrt(t)),
    "t -> exp(-t**0.7)": lambda t: mp.exp(-(t ** mp.mpf("0.7"))),
    "t -> (1 + t)**-2": lambda t: (1 + t) ** -2,
    "t -> 1/(1 + 2*t)": lambda t: 1 / (1 + 2 * t),
    "t -> (1 + t)**-pi": lambda t: (1 + t) ** -mp.pi,
    "t -> exp(-t)/(1 + t)": lambda t: mp.exp(-t) / (1 + t),
    "t -> 1/(1 + log(1 + t))": lambda t: 1 / (1 + mp.log(1 + t)),
    "t -> sqrt(exp(-t)/2 + 1/(2 + 2*t))": lambda t: mp.sqrt(mp.exp(-t) / 2 + 1 / (2 + 2 * t)),
    "t -> max(0, 1 - t)": lambda t: max(mp.mpf(0), 1 - t),
    "t -> max(0, 1 - abs(t))": lambda t: max(mp.mpf(0), 1 - t),
    "t -> max(0, 1 - t)**2": lambda t: max(mp.mpf(0), 1 - t) ** 2,
    "t -> max(0, 1 - t)**1.5": lambda t: max(mp.mpf(0), 1 - t) ** mp.mpf("1.5"),
    "t -> max(0, 1 - t)/2 + exp(-t)/2": lambda t: max(mp.mpf(0), 1 - t) / 2 + mp.exp(-t) / 2,
    "t -> max(exp(-t), exp(-t/2) - 0.1)": lambda t: max(mp.exp(-t), mp.exp(-t / 2) - mp.mpf("0.1")),
    "t -> 1 - tanh(t)": lambda t: 1 - mp.tanh(t),
    "t -> (1 + 0.4*t)*exp(-t)": lambda t: (1 + mp.mpf("0.4") * t) * mp.exp(-t),
}
"""Convex and decreasing on t ≥ 0, from 1 to 0."""

SMOOTH: dict[str, Callable[[Any], Any]] = {
    "x -> 3 - x**3 + 2*x/5": lambda x: 3 - x**3 + 2 * x / 5,
    "x -> sin(2*x)*cos(x) - x": lambda x: mp.sin(2 * x) * mp.cos(x) - x,
    "x -> exp(-x**2)/(2 + cos(x))": lambda x: mp.exp(-(x**2)) / (2 + mp.cos(x)),
    "x -> log(1 + x**2) + sqrt(4 + x)": lambda x: mp.log(1 + x**2) + mp.sqrt(4 + x),
    "x -> tanh(2*x) - x*tanh(x)": lambda x: mp.tanh(2 * x) - x * mp.tanh(x),
    "x -> (2 + x/4)**(x/3)": lambda x: (2 + x / 4) ** (x / 3),
    "x -> abs(x - 1/3) - min(x, 2)*max(x**2, -1)": lambda x: (
        abs(x - mp.mpf(1) / 3) - min(x, mp.mpf(2)) * max(x**2, mp.mpf(-1))
    ),
    "x -> sinh(x/2)*cosh(x) + tan(x/8)": lambda x: mp.sinh(x / 2) * mp.cosh(x) + mp.tan(x / 8),
    "x -> asin(x/4) - acos(x/5)*2": lambda x: mp.asin(x / 4) - 2 * mp.acos(x / 5),
    "x -> erf(x)*gamma(4 + x)": lambda x: mp.erf(x) * mp.gamma(4 + x),
    "x -> besselj(0.5, 4 + x) + besselk(0.75, 5 + x)": lambda x: mp.besselj(0.5, 4 + x) + mp.besselk(0.75, 5 + x),
    "x -> (2 - x)**-3*pi": lambda x: (2 - x) ** -3 * mp.pi,
}
"""Of any sign, for x of any sign."""


def mixtures() -> st.SearchStrategy[str]:
    """Formulas that are Polya kernels by construction: averages of products of known ones."""
    exponents = st.integers(1, 20).map(lambda n: n / 20)
    rates = st.integers(1, 40).map(lambda n: n / 8)
    parts = (
        st.builds("exp(-{}*t**{})".format, rates, exponents)
        | st.builds("max(0, 1 - {}*t)**{}".format, rates, exponents.map(lambda p: 1 + 2 * p))
        | st.builds("(1 + {}*t)**-{}".format, rates, rates)
    )
    products = st.lists(parts, min_size=1, max_size=3).map("*".join)
    return st.lists(products, min_size=1, max_size=3).map(
        lambda terms: "t -> " + " + ".join(f"{term}/{len(terms)}" for term in terms)
    )
