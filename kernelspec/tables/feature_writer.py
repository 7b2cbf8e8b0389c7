"""What writers of feature files share: rows appended, then one rename."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import FileError
from kernelspec.tables.atomic import atomic_path, check_target, writing
from kernelspec.tables.rows import ReusedRows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import TracebackType

    from numpy.typing import NDArray
    from scipy import sparse

__all__ = ["FeatureWriter", "dense", "raw_bytes"]

_MATRIX = 2


class FeatureWriter(ABC):
    """Rows of features on their way into a file, which appears when the `with` statement ends without exception.

    Memory is bounded by the blocks written. `n_rows` is what the file shall have in the end, None if unknown.
    """

    def __init__(self, path: Path, names: Sequence[str], dtype: np.dtype[Any], n_rows: int | None) -> None:
        check_target(path)
        self.path = path
        self.names = tuple(names)
        self.dtype = dtype
        self.n_rows = n_rows
        self.rows_written = 0
        self._stack: ExitStack | None = None
        self._converted = ReusedRows()

    def __enter__(self) -> FeatureWriter:
        with ExitStack() as stack:
            temporary = stack.enter_context(atomic_path(self.path))
            with writing(self.path):
                self._begin(temporary, stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        stack, self._stack = self._stack, None
        assert stack is not None
        if kind is not None:
            stack.__exit__(kind, error, trace)
            return
        with stack:
            if self.n_rows not in (None, self.rows_written):
                raise FileError(f"{self.path}: {self.n_rows} rows were announced, and {self.rows_written} came")
            with writing(self.path):
                self._finish()

    def write(self, block: NDArray[Any] | sparse.csr_array[Any, tuple[int, int]]) -> None:
        """Append the rows of a block; it may be reused afterwards.

        Raises:
            FileError: the disk is full, or the like.
            ValueError: a block of another width, kind or dtype than announced, or outside the `with` statement.
        """
        if self._stack is None:
            raise ValueError("write() needs the `with` statement around it")
        if len(block.shape) != _MATRIX or block.shape[1] != len(self.names):
            raise ValueError(f"a block of shape {block.shape} does not fit {len(self.names)} columns")
        if not np.can_cast(block.dtype, self.dtype, "same_kind"):
            raise ValueError(f"a block of {block.dtype} cannot be written as {self.dtype}")
        with writing(self.path):
            self._append(block)
        self.rows_written += block.shape[0]

    def _dense(self, block: Any) -> NDArray[Any]:
        """The block as a C-ordered array of the file's type, until the next call. Raises ValueError if it is sparse."""
        return dense(block, self.dtype, self._converted)

    @abstractmethod
    def _begin(self, temporary: Path, stack: ExitStack) -> None:
        """Open what is needed; what must be closed goes on the stack."""

    @abstractmethod
    def _append(self, block: Any) -> None:
        """Write a block of the right shape; `rows_written` is the number of rows before it."""

    @abstractmethod
    def _finish(self) -> None:
        """Complete and close the file."""


def dense(block: Any, dtype: np.dtype[Any], memory: ReusedRows) -> NDArray[Any]:
    """The block as a C-ordered array of that dtype, copied only where it has to be, and then into the memory given.

    Raises:
        ValueError: the block is sparse.
    """
    if not isinstance(block, np.ndarray):
        raise ValueError(f"a {type(block).__name__} cannot go into a file of dense features")
    rows = np.asarray(block)
    if rows.dtype == dtype and rows.flags.c_contiguous:
        return rows
    copy = memory.of(len(rows), rows.shape[1], dtype)
    np.copyto(copy, rows, casting="same_kind")
    return copy


def raw_bytes(array: NDArray[Any]) -> memoryview:
    """The memory of a C-ordered array; NumPy's own buffer is refused by files for some dtypes."""
    return array.reshape(-1).view(np.uint8).data
