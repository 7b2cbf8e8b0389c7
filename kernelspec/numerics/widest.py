"""Compiled: the widest registers for the loops of one function. A module of compiled functions.

For many processors with registers of 512 bits the compiler takes half of each where it is free to choose, since the
first of these lowered their frequency for whole ones. Loops that compute more than they load gain by whole ones; those
that mostly move numbers through the cache lose.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

__all__ = ["in_widest_registers"]

_PREFERRED = '"prefer-vector-width"="512"'
"""As LLVM writes it. A processor whose registers are narrower takes its own, and one that is not of x86 ignores it."""


def _in_widest_registers(context: Any) -> Any:
    """Called in a function, it lets the compiler take the widest registers for all loops of that function.

    The bits are the same: the same operations are done for every number.
    """
    del context

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        del signature, values
        set.add(builder.function.attributes, _PREFERRED)  # their own `add` takes those alone that have no value
        return context.get_dummy_value()

    return types.void(), generate


in_widest_registers: Any = intrinsic(_in_widest_registers)
