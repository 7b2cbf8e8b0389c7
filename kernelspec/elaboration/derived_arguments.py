"""Arguments that no spec states: of kernels that a form, a power or a formula makes of others."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from kernelspec.errors import RangeError
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf
from kernelspec.limits import MAX_SIZE
from kernelspec.notation.arguments import Argument, declared

if TYPE_CHECKING:
    from kernelspec.elaboration.arithmetic import Arithmetic
    from kernelspec.source import Span

__all__ = ["derived", "range_text"]

K = TypeVar("K", bound=Kernel | None)


def derived(make: Callable[[], K], arithmetic: Arithmetic, span: Span | None) -> K:
    """The kernel made of others, or None where none is made.

    Raises RangeError where an argument of a leaf is too large or too small to reckon with: those that a spec states
    are checked where they stand, but a power or a quotient of two of them may be any number.
    """
    try:
        kernel = make()
    except OverflowError:
        raise RangeError("an argument of the kernel that this makes is beyond all floats", span) from None
    for part in kernel.parts() if kernel is not None else ():
        if isinstance(part, Leaf):
            _check(part, part.name, arithmetic, span)
    return kernel


def range_text(where: str, known: float) -> str:
    """What is wrong with a number that is too large or too small."""
    return (
        f"{where} is {known:g}, and numbers that kernels are made of lie between {1 / MAX_SIZE:g} and {MAX_SIZE:g} "
        "in size, or are 0"
    )


def _check(stated: Any, name: str, arithmetic: Arithmetic, span: Span | None) -> None:
    for key, (argument, _) in declared(type(stated)).items():
        value = getattr(stated, key)
        if argument.kind == "distribution":
            _check(value, name, arithmetic, span)
        elif argument.kind in ("number", "vector") and value is not None:
            for entry in value if isinstance(value, tuple) else (value,):
                known = arithmetic.known(entry)
                if known is not None and not _is_reckoned_with(known, argument):
                    raise RangeError(range_text(f"'{key}' of this {name}()", known), span)


def _is_reckoned_with(known: float, argument: Argument) -> bool:
    if known == 0:  # which a tiny number may be as a float
        return argument.accepts(0) or argument.kind == "vector"
    return 1 / MAX_SIZE <= abs(known) <= MAX_SIZE
