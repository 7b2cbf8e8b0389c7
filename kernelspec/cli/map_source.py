"""Where the map of `features` comes from: a spec, or a file that an earlier run saved."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from kernelspec.cli.column_types import GivenTypes, recorded_from
from kernelspec.cli.data_values import (
    say_if_dead,
    say_if_first_rows_are_dead,
    told_by_the_command,
    with_medians_said,
)
from kernelspec.cli.file_rows import FileRows
from kernelspec.cli.map_options import MapSettings
from kernelspec.cli.tables import check_width, columns_of, names_in_order
from kernelspec.elaboration.layout import layout_of
from kernelspec.planning.seen_data import SeenData

if TYPE_CHECKING:
    from kernelspec.cli.columns import GivenColumns
    from kernelspec.files import TableReader
    from kernelspec.maps.feature_map import FeatureMap
    from kernelspec.spec import Spec
    from kernelspec.tables.layout import Layout
    from kernelspec.tables.rows import Rows

__all__ = ["SavedMap", "SpecMap", "is_saved_map", "refuse_map_options", "rows_to_plan_on"]

_SIZE = {"n_features", "error", "pointwise", "confidence"}
_OF_THE_MAP = _SIZE | {
    "seed",
    "method",
    "draws",
    "anchors",
    "keys",
    "buckets",
    "bits",
    "storage",
    "plan_on",
}
_DETERMINED = frozenset({"values", "dim", "columns", "drop", "missing"} | _OF_THE_MAP)
_PLANNED_ROWS, _PLANNED_NUMBERS = 20_000, 2**22
"""Rows to plan on: so many, or of many columns as many as have so many numbers, but 2048 at least."""

_FEWEST = 2048
_ZIP = b"PK\x03\x04"


@dataclass(frozen=True)
class SpecMap:
    """A map to be made for the columns of the file at hand.

    Of its rows nothing is looked at but the categories, which have columns of their own (of `plan_on`, if it is given),
    and the distances where parameters are to have the `medians`: the same spec, columns, settings, categories and
    values give the same map for every file; unless the settings ask for an error, which is that on its rows. But the
    types of its columns are recorded if `records_types`, for the map to be used on other files. Where the file is one
    of several `parts` of a table, the categories are those of all parts.
    """

    spec: Spec
    settings: MapSettings
    columns: GivenColumns
    plan_on: str | None = None
    types: GivenTypes = field(default_factory=GivenTypes)
    medians: tuple[str, ...] = ()
    records_types: bool = False
    quiet: bool = False
    parts: tuple[str, ...] = ()

    @property
    def dim(self) -> int | None:
        """The number of columns, if the command line says it."""
        return self.columns.dim

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the columns, if the command line says them."""
        return self.columns.names

    @property
    def header(self) -> bool | None:
        """Whether CSV files have a header, if the command line says it."""
        return self.columns.header

    def map_for(self, reader: TableReader) -> FeatureMap:
        """The map for a file. Raises SpecError, DataError, PlanError, FileError."""
        columns = columns_of(self.spec, reader, self.columns.dim, self.columns.names, self.columns.dropped)
        layout, rows, spec = self.types.pinned(layout_of(self.spec.kernel(columns), columns)), None, self.spec
        check_width(layout, reader)
        planned_on = self.plan_on
        if planned_on is None and self.settings.asks_for_an_error:
            if self.parts:
                raise click.UsageError(
                    "an error on the rows of a table in parts: name some of them with --plan-on FILE"
                )
            planned_on = str(reader.path)
        if planned_on is not None:
            rows, layout = rows_to_plan_on(layout, planned_on, self.header, quiet=self.quiet)
        if self.medians:
            some = rows
            if some is None:
                some, _ = rows_to_plan_on(layout, str(reader.path), self.header, quiet=self.quiet)
            spec = with_medians_said(spec, self.medians, columns, some, quiet=self.quiet)
        if not self.quiet and rows is not None:
            say_if_dead(spec, columns, rows)
        elif not self.quiet:
            say_if_first_rows_are_dead(spec, columns, layout, str(reader.path), self.header)
        if self.records_types:
            layout = recorded_from(layout, reader)
        paths = (self.plan_on,) if self.plan_on else self.parts or (str(reader.path),)
        seen = SeenData(rows, FileRows(paths, layout, self.header))
        with told_by_the_command():
            return self.settings.make(spec, columns, seen, layout.types)

    @property
    def text(self) -> tuple[str, ...]:
        """Columns that are text beyond what the map records: none."""
        return ()


@dataclass(frozen=True)
class SavedMap:
    """A map that is there already; columns in `text` are text, where it does not know their types.

    `header` says whether CSV files begin with a line of names.
    """

    fmap: FeatureMap
    text: tuple[str, ...] = ()
    header: bool | None = None

    @classmethod
    def load(
        cls, path: str, text: tuple[str, ...] = (), header: bool | None = None, *, redraw: bool = False
    ) -> SavedMap:
        """The map in a file, with `redraw` compared with what its spec and seed give. Raises FileError."""
        from kernelspec.maps.saved.map_file import load_map

        return cls(load_map(path, redraw=redraw), text, header)

    @property
    def dim(self) -> int:
        """The number of columns the map is for."""
        return self.fmap.plan.layout.dim

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the columns of a file without names, if the map has them in order."""
        return names_in_order(self.fmap.plan.layout)

    def map_for(self, reader: TableReader) -> FeatureMap:
        """The map, if the file has the columns for it. Raises DataError."""
        check_width(self.fmap.plan.layout, reader)
        return self.fmap


def is_saved_map(path: str) -> bool:
    """Whether a file holds a saved map rather than the text of a spec: told by its content, whatever its name."""
    with suppress(OSError), Path(path).open("rb") as file:
        return file.read(len(_ZIP)) == _ZIP
    return False


def refuse_map_options(ctx: click.Context, path: str) -> None:
    """Raise UsageError for an option that would have had to be given when the saved map was made."""
    for parameter in ctx.command.params:
        given = ctx.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
        if parameter.name in _DETERMINED and given:
            raise click.UsageError(f"{parameter.opts[-1]} is settled already: {path} is a saved map, not a spec", ctx)


def rows_to_plan_on(
    layout: Layout, path: str, header: bool | None = None, *, quiet: bool = False
) -> tuple[Rows, Layout]:
    """Up to 20,000 random rows of a data file, and the layout with the types of its columns, of its rows in one pass.

    Of many columns fewer: 2²² numbers, but no fewer than 2048 rows. Raises DataError, FileError.
    """
    from kernelspec.cli.sampling import sample_rows

    n_rows = max(_FEWEST, min(_PLANNED_ROWS, _PLANNED_NUMBERS // layout.dim))
    return sample_rows(path, layout, n_rows, header, quiet=quiet)
