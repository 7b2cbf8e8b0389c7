"""What the kernels of other libraries are made of: numbers of any array library, and the texts they become."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np

from kernelspec.errors import NoCounterpartError
from kernelspec.spec import Spec, parse

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Norm",
    "array",
    "attribute",
    "no_counterpart",
    "number",
    "numbers",
    "of_distance",
    "on_one_column",
    "selected",
]

Norm = Literal["l1", "l2"]
"""The sum of absolute differences, or the root of the sum of their squares."""


def no_counterpart(kernel: Any, reason: str) -> NoReturn:
    """Raise NoCounterpartError: what the kernel is called, and why there is none."""
    name = kernel if isinstance(kernel, str) else type(kernel).__name__
    raise NoCounterpartError(f"{name} has no counterpart: {reason}")


def attribute(kernel: Any, name: str) -> Any:
    """An attribute of a kernel. Raises NoCounterpartError where it has none: another library has the same name."""
    if not hasattr(kernel, name):
        no_counterpart(kernel, f"it has no attribute '{name}', which its library gives it: is it of another library?")
    return getattr(kernel, name)


def numbers(kernel: Any, name: str) -> tuple[float, ...]:
    """The numbers of an attribute: a float, an array, or a tensor of PyTorch or TensorFlow of one row.

    Raises NoCounterpartError for several rows, which are a batch of kernels, and for numbers that are not finite.
    """
    found = array(kernel, name)
    if found.ndim > 1 and found.size != found.shape[-1]:
        no_counterpart(kernel, f"its {name} has the shape {found.shape}: it is a batch of kernels; pass one of them")
    return tuple(found.ravel().tolist())


def array(kernel: Any, name: str) -> NDArray[np.float64]:
    """The same numbers in the shape they have, which must be finite."""
    value = attribute(kernel, name)
    for unwrap in ("detach", "cpu", "numpy"):
        value = getattr(value, unwrap)() if hasattr(value, unwrap) else value
    found = np.asarray(value, dtype=float)
    if not np.isfinite(found).all():
        no_counterpart(kernel, f"its {name} is not finite")
    return found


def number(kernel: Any, name: str) -> float:
    """The one number of an attribute. Raises what `numbers` raises, and NoCounterpartError for several."""
    found = numbers(kernel, name)
    if len(found) != 1:
        no_counterpart(kernel, f"its {name} has {len(found)} numbers, where there should be one")
    return found[0]


def of_distance(
    kernel: Any, name: str, arguments: str, lengths: Sequence[float], norm: Norm | None, dim: int | None
) -> Spec:
    """A kernel of the catalogue that is a function of ‖Δ/ℓ‖₂, with one length or one for every column.

    As a function of the sum of absolute differences only exp(−‖Δ/ℓ‖₁) is in the language; on one column both are one.
    Raises NoCounterpartError for the others.
    """
    if norm == "l1" and dim != 1:
        if arguments not in ("nu=0.5", "nu=1/2") and name != "exponential":
            more = ", and for orders above 1/2 not positive definite on two columns or more" if name == "matern" else ""
            no_counterpart(
                kernel,
                f"{name}() of the sum of absolute differences (norm='l1') is no kernel of the language{more}. Of the "
                f"Euclidean norm it is {name}(…); the product of {name}(…)[i] over the columns i is another kernel",
            )
        name, arguments = "laplace", ""
    if len(lengths) == 1:
        return parse(f"{name}({arguments}{', ' if arguments else ''}scale={lengths[0]!r})")
    return parse(f"stretch({name}({arguments}), {list(lengths)!r})")


def on_one_column(kernel: Any, text: str, dim: int | None, function: str) -> Spec:
    """A kernel that is one of the catalogue on one column, and no kernel as a function of the norm of several.

    Raises NoCounterpartError unless `dim` is 1.
    """
    if dim != 1:
        no_counterpart(
            kernel,
            f"it is {function} of the norm of the difference, which is not positive definite on two columns or more. "
            f"On one column it is {text}: say dim=1",
        )
    return parse(text)


def selected(spec: Spec, columns: Sequence[int] | None) -> Spec:
    """The kernel on some columns, by position; on all where they are None."""
    return spec if columns is None else parse(f"({spec})[{', '.join(map(str, columns))}]")
