"""What may come of bad input."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from kernelspec.errors import KernelspecError

__all__ = ["MOST_MEGABYTES", "MOST_SECONDS", "finite_of_shape", "refused_or_right"]

MOST_SECONDS = 5.0
"""Of the processor, for one case."""

MOST_MEGABYTES = 1000.0
"""By which one case may raise the peak memory of the process."""


@contextmanager
def refused_or_right() -> Iterator[None]:
    """The body may raise a KernelspecError that says something, and nothing else, within MOST_SECONDS and memory."""
    began, peak = process_time(), _peak()
    said = "something"
    try:
        yield
    except KernelspecError as error:
        said = str(error).strip()
    assert said, "refused without a word"
    seconds, megabytes = process_time() - began, _peak() - peak
    assert seconds < MOST_SECONDS, f"took {seconds:.1f} s"
    assert megabytes < MOST_MEGABYTES, f"took {megabytes:.0f} MB"


def finite_of_shape(values: NDArray[np.float64] | sparse.csr_array, shape: tuple[int, ...]) -> None:
    """Features and kernel matrices are finite, and have the shape they were announced with."""
    assert values.shape == shape, f"shape {values.shape} instead of {shape}"
    numbers = values.data if sparse.issparse(values) else values
    assert np.isfinite(numbers).all(), "not finite"


def _peak() -> float:
    """The most memory that the process had so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
