"""The text of a call for what the catalogues list and no table of strategies names: from the declared arguments."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import hypothesis.strategies as st

from kernelspec.notation.arguments import Argument, declared
from kernelspec.testing.strategies.numbers import decimals

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["argument_texts", "call_texts"]

_LOW, _HIGH = 0.5, 4.0
"""Numbers lie between the two, and so far inside an open end of their range:"""
_STEP = 0.01


def argument_texts(cls: type, *, table: str) -> Mapping[str, st.SearchStrategy[str]]:
    """For every declared argument of a class the strategy of its text: numbers from ½ to 4, as far as they are allowed.

    Raises TypeError for an argument that is no number, and for a range without any of these, with the `table` in which
    its strategy has to be written.
    """
    return {name: _texts(cls, name, argument, table) for name, (argument, _) in declared(cls).items()}


def call_texts(name: str, cls: type, *, table: str) -> st.SearchStrategy[str]:
    """Calls of what is called `name`, with all its arguments. Raises TypeError as `argument_texts` does."""
    arguments = argument_texts(cls, table=table)
    text = ", ".join(f"{argument}={{}}" for argument in arguments)
    return st.builds(f"{name}({text})".format, *arguments.values())


def _texts(cls: type, name: str, argument: Argument, table: str) -> st.SearchStrategy[str]:
    low = max(_LOW, argument.low + _STEP * argument.low_open)
    high = min(_HIGH, argument.high - _STEP * argument.high_open)
    if argument.kind == "integer" and ceil(low) <= int(high):
        return st.integers(ceil(low), int(high)).map(str)
    if argument.kind == "number" and low <= high:
        return decimals(low, high)
    raise TypeError(
        f"which texts shall random specs have for the argument {name!r} of {cls.__name__}? It is {argument.interval()} "
        f"of the kind {argument.kind!r}, not one from {_LOW:g} to {_HIGH:g}: add a line to {table}"
    )
