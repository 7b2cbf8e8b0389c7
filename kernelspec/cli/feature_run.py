"""One run of `kernelspec features`: open, stream, write, sum up."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Protocol

import click
import numpy as np

from kernelspec.cli.column_types import conversions
from kernelspec.cli.outputs import check_outputs
from kernelspec.cli.progress import progress
from kernelspec.cli.streaming import feature_blocks
from kernelspec.cli.tables import columns_shown
from kernelspec.errors import DataError
from kernelspec.files import TableReader, create_features, open_table
from kernelspec.maps.blocks import rows_at_a_time
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.maps.kept_rows import kept_rows_shown
from kernelspec.maps.saved.map_file import saved_map
from kernelspec.planning.target import ASKED

__all__ = ["FeatureRun", "MapMaker", "Written"]

_READ_ROWS = 16384


class MapMaker(Protocol):
    """What knows the map for a file, and how wide the file is where it does not say so itself."""

    @property
    def dim(self) -> int | None:
        """The number of columns, if known."""

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the columns of a file without names, in order."""

    @property
    def header(self) -> bool | None:
        """Whether CSV files begin with a line of names, if known."""

    @property
    def text(self) -> tuple[str, ...]:
        """Columns that are text, where the map does not know their types."""

    def map_for(self, reader: TableReader) -> FeatureMap:
        """The map for an open file."""


@dataclass(frozen=True)
class Written:
    """What a run has read and written: `unmet` counts entries of keys that the map does not know."""

    n_rows: int
    n_columns: int
    unmet: int
    read: str
    said: tuple[str, ...] = ()

    def summary(self, seconds: float, output: str) -> str:
        """In words, with the time it took."""
        size = f"{self.n_rows:,} rows × {self.n_columns:,} columns"
        speed = f"{seconds:.1f} s ({self.n_rows / seconds:,.0f} rows/s)"
        return f"{self.read}\n{size} in {speed}: {output}"

    def unmet_shown(self, data: str) -> str:
        """What is to be said of keys that the map does not know; nothing if there are none."""
        if not self.unmet:
            return ""
        words = "entries are of categories or other keys that the map does not know, and share a few columns"
        return f"{data}: {self.unmet:,} {words}"


@dataclass(frozen=True)
class FeatureRun:
    """What to read, and what to write where.

    `agreed` is the precision of other parts of the same table. The features are of it, if no `dtype` is given; those of
    a part in higher precision are refused.
    """

    data: str
    output: str
    dtype: str | None
    rows_per_block: int | None
    save_map: str | None
    quiet: bool
    agreed: str | None = None

    def check_outputs(self, read: Sequence[str | None]) -> None:
        """Refuse, before any work, an output that cannot be written, or that would replace the data or what is `read`.

        Raises FileError, UsageError.
        """
        # nothing is created before its `with` statement; whether features are sparse is not known yet
        create_features(self.output, names=["any"], dtype=np.float32, sparse=False)
        check_outputs([self.data, *read], [("-o", self.output), ("--save-map", self.save_map)])

    def run(self, maker: MapMaker) -> str:
        """Write the features (and a map asked for); in words what was read and written. Raises KernelspecError."""
        began = perf_counter()
        written = self.write(maker)
        if written.unmet and not self.quiet:
            click.echo(written.unmet_shown(self.data), err=True)
        return written.summary(perf_counter() - began, self.output)

    def write(self, maker: MapMaker) -> Written:
        """The same, without a word at the end."""
        with ExitStack() as stack:
            size = self.rows_per_block or _READ_ROWS
            reader = stack.enter_context(
                open_table(self.data, rows_per_block=size, columns=maker.dim, header=maker.header, names=maker.names)
            )
            fmap = maker.map_for(reader)
            said = list(conversions(fmap.plan.layout, reader))
            if self.save_map is not None and (kept := kept_rows_shown(fmap.plan)) is not None:
                said.append(f"{self.save_map}: {kept}")
            if not self.quiet:
                for words in said:
                    click.echo(words, err=True)
            advance = stack.enter_context(progress(reader, quiet=self.quiet))
            rows = self.rows_per_block or rows_at_a_time(fmap)
            double = "float64" in (self.dtype, self.agreed)
            blocks = feature_blocks(fmap, reader, rows=rows, double=double, advance=advance, text=maker.text)
            first = next(blocks)
            self._check_precision(first.dtype)
            names, kind, unmet = fmap.names(), self._stored(first.dtype), 0
            # the map is written first and appears last: an interrupted run leaves neither of the two
            beside = nullcontext() if self.save_map is None else saved_map(fmap, Path(self.save_map))
            writer = create_features(self.output, names=names, dtype=kind, sparse=fmap.is_sparse)
            with beside, writer:
                for block in chain([first], blocks):
                    writer.write(block)
                    unmet += fmap.count_shared(block)
        asked = [note for note in fmap.plan.notes if note.startswith(ASKED)]
        read = "\n".join([f"columns read: {columns_shown(fmap.plan.layout, reader)}", *asked])
        return Written(writer.rows_written, len(names), unmet, read, tuple(said))

    def _check_precision(self, computed: np.dtype[np.generic]) -> None:
        if self.dtype is None and self.agreed == "float32" and computed not in (np.float32, np.complex64):
            raise DataError(
                f"{self.data}: its features are float64, and those of the first part float32: name one with --dtype"
            )

    def _stored(self, computed: np.dtype[np.generic]) -> np.dtype[np.generic]:
        """The type of the file, given the type the features were computed in."""
        if self.dtype is None:
            return computed
        return np.result_type(self.dtype, np.complex64) if computed.kind == "c" else np.dtype(self.dtype)
