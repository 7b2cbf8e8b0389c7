"""Compiled: a·b + c rounded once. A module of compiled functions."""

from __future__ import annotations

from typing import Any

from numba.extending import intrinsic

__all__ = ["multiply_add"]


def _multiply_add(context: Any, a: Any, b: Any, c: Any) -> Any:
    """a·b + c rounded once, for three numbers of one floating type: an instruction, or a function where there is none.

    The bits are the same on every processor, in a vector and alone.
    """
    del context, b, c

    def generate(context: Any, builder: Any, signature: Any, numbers: Any) -> Any:
        del context, signature
        return builder.fma(*numbers)

    return a(a, a, a), generate


multiply_add: Any = intrinsic(_multiply_add)
