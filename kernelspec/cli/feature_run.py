"""One run of `kernelspec features`: open, stream, write, summarize."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import click
import numpy as np

from kernelspec.cli.data import (
    FileRows,
    check_width,
    columns_of,
    columns_shown,
    conversions,
    feature_blocks,
    names_in_order,
    recorded_from,
    sample_rows,
)
from kernelspec.cli.group import check_outputs, progress
from kernelspec.cli.options import ANY_CSV, CsvFormat, GivenColumns, GivenTypes, planned_map
from kernelspec.cli.spec_input import (
    fitted_to_file,
    say_if_dead,
    say_if_first_rows_are_dead,
    told_by_the_command,
)
from kernelspec.elaboration.data_columns import has_learned, kernel_and_layout
from kernelspec.errors import DataError, KernelspecError
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.maps.transformed_rows import rows_at_a_time
from kernelspec.planning.options import OPTIONS, MapOptions
from kernelspec.planning.request import SeenData
from kernelspec.planning.target import ASKED
from kernelspec.tables.columnar import is_typed
from kernelspec.tables.formats import check_feature_output, write_features
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows
from kernelspec.tables.table_reader import TableReader

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Columns
    from kernelspec.spec import Spec
    from kernelspec.tables.column_types import ColumnTypes

__all__ = [
    "DETERMINED",
    "FeatureRun",
    "MapMaker",
    "PlanningRows",
    "SavedMap",
    "SpecMap",
    "Written",
    "map_or_problem",
    "rows_to_plan_on",
]

DETERMINED = {"values", "dim", "columns", "drop", "missing", "plan_on", *OPTIONS}
"""Options that a saved map determines."""

_PLANNED_ROWS, _PLANNED_NUMBERS = 20_000, 2**22
"""Rows to plan for: up to 20,000, but at most 2²² numbers, and at least 2048 rows."""

_FEWEST, _JUDGED_ROWS = 2048, 512


@dataclass(frozen=True)
class SpecMap:
    """A map to make for the columns of a file.

    Of its rows, only the categories (those in `plan_on`, if given) and what the spec learns from data influence the
    map: the same spec, columns, settings, categories and learned numbers give the same map for every file. If the
    settings ask for an error, all planning rows do. `records_types` stores the types of the columns in the map. If the
    file is one of several `parts`, the map has the categories of all parts.
    """

    spec: Spec
    settings: MapOptions
    columns: GivenColumns
    plan_on: str | None = None
    types: GivenTypes = field(default_factory=GivenTypes)
    records_types: bool = False
    quiet: bool = False
    parts: tuple[str, ...] = ()
    text: ClassVar[tuple[str, ...]] = ()
    """Text columns besides those recorded in the map."""

    def map_for(self, reader: TableReader) -> FeatureMap:
        """The map for a file. Raises SpecError, DataError, PlanError, FileError."""
        columns = columns_of(self.spec, reader, self.columns.dim, self.columns.names, self.columns.dropped)
        if len(self.parts) > 1 and self.plan_on is None and has_learned(self.spec):
            raise click.UsageError(
                "the spec learns numbers from rows: name one of the files, or a sample of all, with --plan-on FILE"
            )
        learned_from = self.plan_on or reader.source
        spec = fitted_to_file(self.spec, columns, learned_from, self.columns.csv, quiet=self.quiet)
        layout, rows = self.types.pinned(kernel_and_layout(spec, columns)[1]), None
        check_width(layout, reader)
        planned_on = self.plan_on
        if planned_on is None and self.settings.n_features == "auto":
            if self.parts:
                raise click.UsageError(
                    "--error and --pointwise need rows to plan for: name one of the files, or a sample of all, with "
                    "--plan-on FILE"
                )
            planned_on = reader.source
        if planned_on is not None:
            rows, layout = rows_to_plan_on(layout, planned_on, self.columns.csv, quiet=self.quiet)
        if not self.quiet and rows is not None:
            say_if_dead(spec, columns, rows)
        elif not self.quiet:
            say_if_first_rows_are_dead(spec, columns, layout, reader.source, self.columns.csv)
        if self.records_types:
            layout = recorded_from(layout, reader)
        paths = (self.plan_on,) if self.plan_on else self.parts or (reader.source,)
        seen = SeenData(rows, FileRows(paths, layout, self.columns.csv))
        with told_by_the_command():
            return planned_map(self.settings, spec, columns, seen, layout.types)


@dataclass(frozen=True)
class PlanningRows:
    """Random rows of a file to plan for, and the spec with the numbers that it learns from them."""

    spec: Spec
    columns: Columns
    rows: Rows
    seen: SeenData
    types: ColumnTypes | None

    @classmethod
    def of(
        cls, spec: Spec, path: str, columns: GivenColumns, types: GivenTypes, *, quiet: bool = False
    ) -> PlanningRows:
        """Those of a file. Raises SpecError, DataError, FileError."""
        table = columns.in_file(spec, path)
        spec = fitted_to_file(spec, table, path, columns.csv, quiet=quiet)
        layout = types.pinned(kernel_and_layout(spec, table)[1])
        rows, layout = rows_to_plan_on(layout, path, columns.csv, quiet=quiet)
        return cls(spec, table, rows, SeenData(rows, FileRows((path,), layout, columns.csv)), layout.types)

    @property
    def spread(self) -> Rows:
        """At most 512 evenly spaced rows, for errors."""
        return self.rows.take(np.unique(np.linspace(0, len(self.rows) - 1, _JUDGED_ROWS).astype(np.intp)))


def map_or_problem(
    settings: MapOptions, spec: Spec, columns: Columns, on: PlanningRows | None = None
) -> tuple[FeatureMap | None, KernelspecError | None]:
    """The map of a spec on some columns, planned for these rows, or the reason why there is none.

    Neither for an unknown number of columns.
    """
    if columns.count is None:
        return None, None
    seen, types = (None, None) if on is None else (on.seen, on.types)
    try:
        with told_by_the_command():
            return planned_map(settings, spec, columns, seen, types), None
    except KernelspecError as error:
        return None, error


@dataclass(frozen=True)
class SavedMap:
    """A saved map; columns in `text` are text unless the map knows their type."""

    fmap: FeatureMap
    text: tuple[str, ...] = ()
    csv: CsvFormat = ANY_CSV

    @property
    def columns(self) -> GivenColumns:
        """The number of columns that the map needs, and names for the columns of a file without names."""
        layout = self.fmap.plan.layout
        return GivenColumns(layout.dim, names_in_order(layout), csv=self.csv)

    def map_for(self, reader: TableReader) -> FeatureMap:
        """The map, after checking that the file has its columns. Raises DataError."""
        check_width(self.fmap.plan.layout, reader)
        return self.fmap


def rows_to_plan_on(layout: Layout, path: str, csv: CsvFormat = ANY_CSV, *, quiet: bool = False) -> tuple[Rows, Layout]:
    """Up to 20,000 random rows of a data file, and the layout with its column types, in one pass.

    Wide files give fewer: 2²² numbers, but at least 2048 rows. Raises DataError, FileError.
    """
    n_rows = max(_FEWEST, min(_PLANNED_ROWS, _PLANNED_NUMBERS // layout.dim))
    return sample_rows(path, layout, n_rows, csv, quiet=quiet)


_READ_ROWS = 16384


MapMaker: TypeAlias = SavedMap | SpecMap


@dataclass(frozen=True)
class Written:
    """What a run read and wrote; `unmet` counts entries whose keys the map does not know."""

    n_rows: int
    n_columns: int
    unmet: int
    read: str
    said: tuple[str, ...] = ()

    def summary(self, seconds: float, output: str) -> str:
        """A summary in words, with the elapsed time."""
        size = f"{self.n_rows:,} rows × {self.n_columns:,} columns"
        speed = f"{seconds:.1f} s ({self.n_rows / seconds:,.0f} rows/s)"
        return f"{self.read}\n{size} in {speed}: {output}"

    def unmet_shown(self, data: str) -> str:
        """The note on keys that the map does not know, or "" if there are none."""
        if not self.unmet:
            return ""
        return f"{data}: {self.unmet:,} entries have categories or keys unknown to the map, and share a few columns"


@dataclass(frozen=True)
class FeatureRun:
    """What to read, and where to write.

    `agreed` is the precision of the other parts of a table, used if `dtype` is not given; parts of higher precision are
    rejected.
    """

    data: str
    output: str
    dtype: str | None
    rows_per_block: int | None
    save_map: str | None
    quiet: bool
    agreed: str | None = None
    keep: tuple[str, ...] = ()
    suffix: str | None = None

    def check_outputs(self, read: Sequence[str | None]) -> None:
        """Check, before any work, that outputs can be written and do not replace the data or other files `read`.

        Raises FileError, UsageError.
        """
        check_feature_output(self.output, has_kept=bool(self.keep))
        output = None if self.output == "-" else self.output
        check_outputs([self.data, *read], [("-o", output), ("--save-map", self.save_map)])

    def run(self, maker: MapMaker) -> str:
        """Write the features, and the map if requested; return a summary. Raises KernelspecError."""
        began = perf_counter()
        written = self.write(maker)
        if written.unmet and not self.quiet:
            click.echo(written.unmet_shown(self.data), err=True)
        return written.summary(perf_counter() - began, self.output)

    def write(self, maker: MapMaker) -> Written:
        """Write the features without printing a summary."""
        with ExitStack() as stack:
            size = self.rows_per_block or _READ_ROWS
            reader = stack.enter_context(maker.columns.opened(self.data, size))
            fmap = maker.map_for(reader)
            said = list(conversions(fmap.plan.layout, reader))
            beside: AbstractContextManager[object] = nullcontext()
            if self.save_map is not None:
                from kernelspec.maps.landmarks import kept_rows_shown
                from kernelspec.maps.map_file import saved_map

                beside = saved_map(fmap, Path(self.save_map))
                if (kept := kept_rows_shown(fmap.plan)) is not None:
                    said.append(f"{self.save_map}: {kept}")
            if not self.quiet:
                for words in said:
                    click.echo(words, err=True)
            advance = stack.enter_context(progress(reader, quiet=self.quiet))
            rows = self.rows_per_block or rows_at_a_time(fmap)
            double = "float64" in (self.dtype, self.agreed)
            blocks = feature_blocks(
                fmap,
                reader,
                rows=rows,
                double=double,
                advance=advance,
                text=maker.text,
                keep=self.keep,
                typed=bool(self.keep) and is_typed(self.output, self.suffix),
            )
            first, kept = next(blocks)
            self._check_precision(first.dtype)
            names, kind, unmet = fmap.names(), self._stored(first.dtype), 0

            def counted() -> Iterator[tuple[Any, Any]]:
                nonlocal unmet
                for block, others in chain([(first, kept)], blocks):
                    yield block, others
                    unmet += fmap.count_shared(block)

            with beside:  # the map is written first and appears last: an interrupted run leaves neither of the two
                n_rows = write_features(
                    self.output,
                    counted(),
                    names=names,
                    dtype=kind,
                    sparse=fmap.is_sparse,
                    has_kept=bool(self.keep),
                    suffix=self.suffix,
                )
        asked = [note for note in fmap.plan.notes if note.startswith(ASKED)]
        read = "\n".join([f"columns read: {columns_shown(fmap.plan.layout, reader)}", *asked])
        return Written(n_rows, len(names), unmet, read, tuple(said))

    def _check_precision(self, computed: np.dtype[np.generic]) -> None:
        if self.dtype is None and self.agreed == "float32" and computed not in (np.float32, np.complex64):
            raise DataError(
                f"{self.data}: features are float64, but those of the first part float32: choose one with --dtype"
            )

    def _stored(self, computed: np.dtype[np.generic]) -> np.dtype[np.generic]:
        """The dtype to store, given the computed dtype."""
        if self.dtype is None:
            return computed
        return np.result_type(self.dtype, np.complex64) if computed.kind == "c" else np.dtype(self.dtype)
