"""All bounds on what is read, built and held in memory.

They are beyond any honest use: work within them may take long, but it ends, shows progress on the command line, and can
be interrupted. Anything beyond is rejected with a message that states the bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

__all__ = [
    "MAX_BITS",
    "MAX_BLOCK_BYTES",
    "MAX_BUCKETS",
    "MAX_CATEGORIES",
    "MAX_COLUMNS",
    "MAX_DEPTH",
    "MAX_DIGITS",
    "MAX_EVALUATIONS",
    "MAX_EXPONENT",
    "MAX_FACTORS",
    "MAX_FEATURES",
    "MAX_FEATURES_FOR_ERROR",
    "MAX_FEATURE_COLUMNS",
    "MAX_KERNELS",
    "MAX_LEVELS",
    "MAX_LINES_BYTES",
    "MAX_MAP_ARRAYS",
    "MAX_MAP_BYTES",
    "MAX_MAP_FILE",
    "MAX_MAP_HEADER",
    "MAX_MAP_PARTS",
    "MAX_NAME",
    "MAX_NESTING",
    "MAX_REDRAWN",
    "MAX_REDRAWN_BYTES",
    "MAX_SHAPE",
    "MAX_SIZE",
    "MAX_TEXT",
    "MAX_TOKENS",
    "MAX_WRITTEN_COLUMNS",
    "Work",
    "counted_work",
    "spend",
]

# Text.

MAX_TEXT = 1_000_000  # characters in a spec
MAX_TOKENS = 250_000  # words, signs and line ends in a spec, enough for 20,000 lines of `let`. Bounds parsing time
MAX_NESTING = 200  # brackets open at once

MAX_DEPTH = 100
"""Nodes on the longest path from the root of an expression to a leaf.

Comparing, printing and pickling a tree need up to four and a half of Python's 1000 frames per level; later passes may
recurse, and the caller's frames must fit too.
"""

MAX_DIGITS = 100  # digits of a number, before any `e`
MAX_EXPONENT = 308  # numbers lie between 1e-308 and 1e308, so that all of them are floats
MAX_NAME = 100  # characters in a name

# What text stands for.

MAX_SIZE = 1e100
"""Arguments and weights of kernels are 0 or between 1e-100 and 1e100.

Kernels square and multiply them, so values close to the limits of floats would give infinity or NaN.
"""

MAX_SHAPE = 1000.0
"""Shapes of kernels and distributions: orders, degrees of freedom, rates. Beyond it they hardly differ from limits.

Up to it, Gamma functions stay exact in symbols, and series with that many terms end.
"""

MAX_EVALUATIONS = 400_000
"""Evaluated parts of expressions per kernel tree; a `param` or `let` counts once for each set of columns.

Entries of vectors count at every use.
"""

MAX_KERNELS = 20_000  # kernels in a tree after expansion; every use of a `let` counts, because rules walk the tree
MAX_FACTORS = 1_000  # factors of one product after expansion, including powers of kernels and nested products
MAX_LEVELS = 120  # levels of an expression, counting through lets: MAX_DEPTH bounds each line, not chains of lines
MAX_COLUMNS = 2_000_000  # columns of a table

MAX_WRITTEN_COLUMNS = 8_000_000
"""Columns listed by a kernel tree, in selections and vectors together: four tables of MAX_COLUMNS.

Every use of a `let` counts. A short slice can select two million columns, which takes a third of a gigabyte.
"""

# Feature maps and data.

MAX_LINES_BYTES = 2**26
"""Bytes of the first two lines of a CSV file together, and of any line of LIBSVM text: 64 MiB.

Enough for lines of MAX_COLUMNS numbers. CSV is parsed in chunks of four such lines, so it bounds all other lines too.
"""

MAX_CATEGORIES = 2**20  # categories of one or several columns that each have a feature column; more are hashed
MAX_FEATURES = 10_000_000  # largest number of nonzeros per row that a map may have
MAX_BUCKETS = 2**31  # hash buckets (columns) per sample
MAX_BITS = 24  # lowest bits of a key whose values each have a column
MAX_FEATURES_FOR_ERROR = 2**16  # largest number of nonzeros per row tried to reach a requested error
MAX_BLOCK_BYTES = 2**28  # bytes of one block of rows, independent of the length of a table
MAX_MAP_BYTES = 2**32  # bytes of a map's arrays when drawn
MAX_FEATURE_COLUMNS = 2**26  # feature columns of a saved map: each has a sign in memory
MAX_MAP_FILE = MAX_MAP_BYTES + 2**27  # bytes of a saved map: its arrays, its header, and everything else in the archive
MAX_MAP_HEADER = 2**25  # bytes of JSON in a saved map; its values need some fifty times as much memory
MAX_MAP_ARRAYS = 100_000  # arrays in a saved map

MAX_MAP_PARTS = 1_000_000
"""Parts of a saved map, counted with repetition, so that nested sharing cannot expand exponentially."""

MAX_REDRAWN = 2**20  # samples drawn to check a saved map, beyond those in the file, which stores merged samples once
MAX_REDRAWN_BYTES = 2**27  # bytes for random numbers to check a saved map, beyond four times those in the file

# Work, counted as it is done.


@dataclass
class Work:
    """Work since counting began, in millions of simple operations, about milliseconds."""

    done: float = 0.0


_OPEN: ContextVar[Work | None] = ContextVar("work that is counted", default=None)


@contextmanager
def counted_work() -> Iterator[Work]:
    """Count the work of this thread in the body; enclosing counts include it."""
    outer, work = _OPEN.get(), Work()
    token = _OPEN.set(work)
    try:
        yield work
    finally:
        _OPEN.reset(token)
        if outer is not None:
            outer.done += work.done


def spend(operations: float) -> None:
    """Count simple operations before a long computation, if anyone is counting."""
    work = _OPEN.get()
    if work is not None:
        work.done += operations / 1e6
