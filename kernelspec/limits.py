"""Every bound on what is read, built and held, in one place: no text and no table can pass them.

They are set where honest work ends: what is within them may take long, but ends, shows progress where the
command line does, and can be interrupted. What is beyond is refused with a message that says the bound.
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

# Of text.

MAX_TEXT = 1_000_000
"""Characters in a spec."""

MAX_TOKENS = 250_000
"""Words, signs and line ends in a spec; 20,000 lines of a `let` are within it. Bounds the time of parsing."""

MAX_NESTING = 200
"""Brackets open at once."""

MAX_DEPTH = 100
"""Nodes on the longest path from the root of an expression to a leaf.

Comparing, showing and pickling a tree take up to four and a half of Python's 1000 frames per level, and
later passes may recurse; the caller's own frames have to fit as well.
"""

MAX_DIGITS = 100
"""Digits of a number, before any `e`."""

MAX_EXPONENT = 308
"""Numbers lie between 1e-308 and 1e308, so that every one is a float too."""

MAX_NAME = 100
"""Characters in a name."""

# Of what text stands for.

MAX_SIZE = 1e100
"""Arguments and weights of kernels lie between 1e-100 and 1e100, or are 0.

Kernels square them, and multiply them with each other: what is barely a float by itself would end in infinity or NaN.
"""

MAX_SHAPE = 1000.0
"""Shapes of kernels and distributions: orders, degrees of freedom, rates. Beyond, they hardly differ from limits.

Gamma functions of such numbers are exact in symbols, and series of as many terms end.
"""

MAX_EVALUATIONS = 400_000
"""Parts of expressions evaluated for one kernel tree; a `param` or `let` counts once for the columns it is used on.

Entries of vectors count once more wherever a kernel takes them.
"""

MAX_KERNELS = 20_000
"""Kernels in a tree after expansion: every use of a `let` counts, since rules walk the tree."""

MAX_FACTORS = 1_000
"""Factors of one product after expansion, powers of kernels and nested products included."""

MAX_LEVELS = 120
"""Levels of an expression, counting through lets: each line is bounded by MAX_DEPTH, a chain of lines is not."""

MAX_COLUMNS = 2_000_000
"""Columns of a table, given or found in a file."""

MAX_WRITTEN_COLUMNS = 8_000_000
"""Columns that a kernel tree lists one by one, in selections and vectors together: four tables of MAX_COLUMNS.

Every use of a `let` counts. A slice of a few characters selects two million columns, a third of a gigabyte in all.
"""

# Of feature maps and data.

MAX_LINES_BYTES = 2**26
"""Bytes of the first two lines of a CSV file together, and of any line of LIBSVM text: 64 MiB.

Lines of MAX_COLUMNS numbers are within it. CSV is parsed in pieces of four such lines: it bounds all others, too.
"""

MAX_CATEGORIES = 2**20
"""Categories of a column, or of several together, that each have a column of features; with more they are hashed."""

MAX_FEATURES = 10_000_000
"""Stored entries per row that a map may be asked for."""

MAX_BUCKETS = 2**31
"""Columns that the keys of a sample are hashed into."""

MAX_BITS = 24
"""Lowest bits of a key whose values have columns, one each."""

MAX_FEATURES_FOR_ERROR = 2**16
"""Stored entries per row that are tried, to reach an error that is asked for."""

MAX_BLOCK_BYTES = 2**28
"""Bytes of one block of rows: what is held at a time however long a table is."""

MAX_MAP_BYTES = 2**32
"""Bytes of a map's arrays when they are drawn."""

MAX_FEATURE_COLUMNS = 2**26
"""Columns of the features of a saved map: each has a sign in memory."""

MAX_MAP_FILE = MAX_MAP_BYTES + 2**27
"""Bytes of a saved map: its arrays, its header, and what an archive holds besides."""

MAX_MAP_HEADER = 2**25
"""Bytes of JSON in a saved map; its values take some fifty times that in memory."""

MAX_MAP_ARRAYS = 100_000
"""Arrays in a saved map."""

MAX_MAP_PARTS = 1_000_000
"""Parts of a saved map, each counted as often as it is met from the whole, so that doubling lines are not unfolded."""

MAX_REDRAWN = 2**20
"""Samples beyond those in the file that are drawn to check a saved map: equal ones are merged, and the file has one."""

MAX_REDRAWN_BYTES = 2**27
"""Bytes beyond four times those in the file that random numbers take to check a saved map."""

# Of work, counted as it is done.


@dataclass
class Work:
    """What was done since the counting began, in millions of simple operations: about milliseconds."""

    done: float = 0.0


_OPEN: ContextVar[Work | None] = ContextVar("work that is counted", default=None)


@contextmanager
def counted_work() -> Iterator[Work]:
    """What is spent in the body, in this thread, is counted; for a count around this one, too."""
    outer, work = _OPEN.get(), Work()
    token = _OPEN.set(work)
    try:
        yield work
    finally:
        _OPEN.reset(token)
        if outer is not None:
            outer.done += work.done


def spend(operations: float) -> None:
    """Count so many simple operations, where anybody counts: of what takes long, and before it is done."""
    work = _OPEN.get()
    if work is not None:
        work.done += operations / 1e6
