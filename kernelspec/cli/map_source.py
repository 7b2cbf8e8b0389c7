"""Where the map of `features` comes from: a spec, or a file that an earlier run saved."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from kernelspec.cli.map_options import MapSettings
from kernelspec.cli.tables import check_width, columns_of

if TYPE_CHECKING:
    from kernelspec.cli.columns import GivenColumns
    from kernelspec.elaboration.scope import Columns
    from kernelspec.files import TableReader
    from kernelspec.maps.feature_map import FeatureMap
    from kernelspec.spec import Spec
    from kernelspec.tables.rows import Rows

__all__ = ["SavedMap", "SpecMap", "is_saved_map", "refuse_map_options", "rows_to_plan_on"]

_DETERMINED = ("values", "dim", "columns", "n_features", "seed", "method", "buckets", "bits", "plan_on")
_PLANNED_ROWS = 2048
_ZIP = b"PK\x03\x04"


@dataclass(frozen=True)
class SpecMap:
    """A map to be made for the columns of the file at hand.

    Its rows are not looked at: the same spec, columns and settings give the same map for every file.
    """

    spec: Spec
    settings: MapSettings
    columns: GivenColumns
    plan_on: str | None = None

    @property
    def dim(self) -> int | None:
        """The number of columns, if the command line says it."""
        return self.columns.dim

    def map_for(self, reader: TableReader) -> FeatureMap:
        """The map for a file. Raises SpecError, DataError, PlanError, FileError."""
        columns = columns_of(self.spec, reader, self.columns.dim, self.columns.names)
        rows = rows_to_plan_on(self.spec, columns, self.plan_on) if self.plan_on is not None else None
        fmap = self.settings.make(self.spec, columns, rows)
        check_width(fmap.plan.layout, reader)
        return fmap


@dataclass(frozen=True)
class SavedMap:
    """A map that is there already."""

    fmap: FeatureMap

    @classmethod
    def load(cls, path: str, *, redraw: bool = False) -> SavedMap:
        """The map in a file, with `redraw` compared with what its spec and seed give. Raises FileError."""
        from kernelspec.maps.saved.map_file import load_map

        return cls(load_map(path, redraw=redraw))

    @property
    def dim(self) -> int:
        """The number of columns the map is for."""
        return self.fmap.plan.layout.dim

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


def rows_to_plan_on(spec: Spec, columns: Columns, path: str) -> Rows:
    """2048 random rows of a data file, in the columns of a spec. Raises SpecError, DataError, FileError."""
    from kernelspec.cli.sampling import sample_rows
    from kernelspec.elaboration.layout import layout_of

    layout = layout_of(spec.kernel(columns), columns)
    return layout.read(sample_rows(path, layout, _PLANNED_ROWS))
