"""Kernels that say nothing about the data they are used on: said aloud, with what to try."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from kernelspec.elaboration.data_columns import median_value
from kernelspec.errors import KernelspecError
from kernelspec.loading import caller_level
from kernelspec.planning.contrast import dead_kernel

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Columns
    from kernelspec.elaboration.valued_program import ValuedProgram
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.kernels.parts import Measured
    from kernelspec.tables.rows import Rows

__all__ = ["DeadKernelWarning", "said_of_dead_kernel", "warn_of_dead_kernel"]

_FACTOR = 3.0


class DeadKernelWarning(UserWarning):
    """Between the rows of the data the kernel is nearly zero, or nearly one number: a model learns nothing from it."""


def said_of_dead_kernel(
    spec: ValuedProgram, columns: Columns, kernel: Kernel, rows: Rows, *, on_command_line: bool = False
) -> str | None:
    """What is wrong with the kernel on these rows, and a value to try; None if nothing is, by `dead_kernel`.

    The value is the median distance, for a parameter that is a length and far from it; where there is none, for the
    kernel itself.
    """
    found = dead_kernel(kernel, rows)
    if found is None:
        return None
    tries = _tries(spec, columns, rows)
    if tries:
        shown = [f"-p {name}={value:.3g}" for name, value in tries.items()]
        if not on_command_line:
            shown = [f"params={{{', '.join(f'{name!r}: {value:.3g}' for name, value in tries.items())}}}"]
        return f"{found.text()}; try {' '.join(shown)}"
    seen = [dead.measured for dead in found.terms if dead.measured is not None]
    return f"{found.text()}; try {_written(seen[0])}" if seen else found.text()


def warn_of_dead_kernel(spec: ValuedProgram, columns: Columns, kernel: Kernel, rows: Rows) -> None:
    """Warn of a kernel that is nearly the identity, or nearly constant, on these rows, at the line outside kernelspec
    from which the work was asked for."""
    said = said_of_dead_kernel(spec, columns, kernel, rows)
    if said is not None:
        warnings.warn(said, DeadKernelWarning, stacklevel=caller_level())


def _tries(spec: ValuedProgram, columns: Columns, rows: Rows) -> dict[str, float]:
    """The median distances of the parameters that are lengths, and have a value that is far from it."""
    found: dict[str, float] = {}
    for name, value in spec.params.items():
        try:
            median = median_value(spec, name, columns, rows)
            spec.with_params({name: median})
        except KernelspecError:
            continue
        if value is not None and not 1 / _FACTOR < value / median < _FACTOR:
            found[name] = median
    return found


def _written(seen: Measured) -> str:
    """`scale=780` of gaussian(), and of a Polya kernel what its area would be."""
    name = {"mean width": "area"}.get(str(seen.leaf.length_name), seen.leaf.length_name)
    return f"{name}={seen.distance:.3g}"
