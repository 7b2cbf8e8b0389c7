"""The options that determine a feature map, and those that name the columns."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from kernelspec.cli.output import waiting
from kernelspec.planning.methods import DRAW_NAMES, KEYS, METHODS, STORAGES

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Columns
    from kernelspec.maps.feature_map import FeatureMap
    from kernelspec.planning.methods import Anchoring, Draws, Keys, Method, Storage
    from kernelspec.planning.request import SeenData
    from kernelspec.spec import Spec
    from kernelspec.tables.column_types import ColumnTypes

__all__ = [
    "GivenColumns",
    "MapSettings",
    "column_options",
    "data_column_options",
    "error_options",
    "map_options",
    "names_of",
]


@dataclass(frozen=True)
class GivenColumns:
    """What the command line says about columns: their number, their names; None for what it does not say.

    `dropped` are columns of the data that the kernel is not applied to. `header` says whether CSV files begin with a
    line of names; None if they do, and a line that may be data is refused.
    """

    dim: int | None = None
    names: tuple[str, ...] | None = None
    dropped: tuple[str, ...] = ()
    header: bool | None = None

    def in_file(self, spec: Spec, path: str) -> Columns:
        """The columns of a data file that a spec is applied to. Raises SpecError, DataError, FileError."""
        from kernelspec.cli.data import columns_of
        from kernelspec.tables.formats import open_table

        with open_table(path, columns=self.dim, header=self.header, names=self.names) as reader:
            return columns_of(spec, reader, self.dim, self.names, self.dropped)


def column_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--dim` and `--columns` to a command, as its one argument `columns`, a GivenColumns."""

    # click hands over every option as a keyword: these two are taken out, the others belong to the command
    @wraps(command)
    def _call(*arguments: Any, dim: int | None, columns: tuple[str, ...] | None, **others: Any) -> Any:
        return command(*arguments, columns=GivenColumns(dim, columns), **others)

    with_names = click.option(
        "--columns", metavar="A,B,C", callback=names_of, help="Names of the columns the kernel is applied to, in order."
    )(_call)
    return click.option("--dim", type=click.IntRange(min=1), metavar="N", help="Number of columns.")(with_names)


def data_column_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the same, `--drop` and `--no-header` to a command that reads data."""

    @wraps(command)
    def _call(
        *arguments: Any, columns: GivenColumns, drop: tuple[str, ...] | None, header: bool | None, **others: Any
    ) -> Any:
        if drop and columns.names is not None:
            raise click.UsageError("--columns says which columns there are: give it or --drop, not both")
        return command(*arguments, columns=replace(columns, dropped=drop or (), header=header), **others)

    with_drop = click.option(
        "--drop", metavar="A,B,C", callback=names_of, help="Columns of DATA the kernel is not applied to: the target."
    )
    with_header = click.option(
        "--header/--no-header",
        default=None,
        help="Whether CSV files begin with a line of names; without one, columns go by position or by --columns.",
    )
    return column_options(with_drop(with_header(_call)))


def names_of(ctx: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, ...] | None:
    """The names that an option lists, as a line of CSV. Raises UsageError."""
    option = parameter.opts[-1]
    if text is None:
        return None
    # as in a line of CSV: a name with a comma stands in quotes
    try:
        names = tuple(name.strip() for name in next(csv.reader([text], skipinitialspace=True), []))
    except csv.Error:  # a line break outside of quotes
        names = ()
    if not names or not all(names):
        raise click.UsageError(f"{option} takes names with commas between them, as in age,income, not '{text}'", ctx)
    for position, name in enumerate(names):
        if name in names[:position]:
            raise click.UsageError(f"{option} has '{name}' twice", ctx)
    return names


_Command = Callable[..., Any]


@dataclass(frozen=True)
class MapSettings:
    """Size, seed and kind of a map."""

    n_features: int
    seed: int
    method: Method
    buckets: int
    bits: int = 8
    keys: Keys = "auto"
    storage: Storage = "auto"
    draws: Draws = "auto"
    anchors: Anchoring = "auto"
    error: float | None = None
    pointwise: float | None = None
    confidence: float = 0.99

    @property
    def asks_for_an_error(self) -> bool:
        """Whether the size is to be found."""
        return self.error is not None or self.pointwise is not None

    def make(
        self, spec: Spec, columns: Columns, seen: SeenData | None = None, types: ColumnTypes | None = None
    ) -> FeatureMap:
        """The map of a spec on some columns, for what is seen of data: rows to plan on, and keys that are met.

        `types` are those of the columns, as far as they are known.

        Raises SpecError, PlanError.
        """
        from kernelspec.compilation import compile_spec

        with waiting("planning"):
            return compile_spec(
                spec,
                None,
                "auto" if self.asks_for_an_error else self.n_features,
                error=self.error,
                pointwise=self.pointwise,
                confidence=self.confidence,
                seed=self.seed,
                method=self.method,
                draws=self.draws,
                anchors=self.anchors,
                columns=columns,
                keys=self.keys,
                buckets=self.buckets,
                bits=self.bits,
                storage=self.storage,
                data=seen,
                types=types,
            )


def error_options(command: _Command) -> _Command:
    """Add the options that ask for an error instead of a size to a command with `map_options`."""

    @wraps(command)
    def _call(
        *arguments: Any,
        settings: MapSettings,
        error: float | None,
        pointwise: float | None,
        confidence: float | None,
        **others: Any,
    ) -> Any:
        if confidence is not None and pointwise is None:
            raise click.UsageError("--confidence is that of --pointwise")
        if error is not None or pointwise is not None:
            given = click.get_current_context().get_parameter_source("n_features")
            if given is ParameterSource.COMMANDLINE:
                raise click.UsageError("either --n-features or an error that they are to reach, not both")
            asked = replace(settings, error=error, pointwise=pointwise)
            settings = asked if confidence is None else replace(asked, confidence=confidence)
        return command(*arguments, settings=settings, **others)

    with_options: _Command = _call
    for option in (
        click.option("--confidence", type=float, metavar="P", help="Of --pointwise.  [default: 0.99]"),
        click.option("--pointwise", type=float, metavar="E", help="The fewest features for this error at each pair."),
        click.option("--error", type=float, metavar="E", help="The fewest features for this relative error on DATA."),
    ):
        with_options = option(with_options)
    return with_options


def map_options(n_features: int = 1024) -> Callable[[_Command], _Command]:
    """Add the options that make a map to a command, with this default of `--n-features`.

    The command has them as its one argument `settings`, a MapSettings.
    """
    options = (
        click.option(
            "--storage",
            type=click.Choice(STORAGES),
            default="auto",
            help="Arrays, or CSR.  [default: CSR where keys are compared]",
        ),
        click.option("--bits", type=int, default=None, metavar="B", help="--keys bits with 2^B columns a sample."),
        click.option("--buckets", type=int, default=256, metavar="N", help="Columns a sample, for hashed keys."),
        click.option(
            "--keys",
            type=click.Choice(KEYS),
            default="auto",
            help="auto: a column for every category met in DATA, other keys hashed; exact: a column for every key met.",
        ),
        click.option(
            "--anchors",
            type=click.Choice(["auto", "never"]),
            default="auto",
            help="Whether a map may keep rows of the data.",
        ),
        click.option("--draws", default="auto", help=f"{', '.join(DRAW_NAMES)}."),
        click.option("--method", default="auto", help=f"{', '.join(METHODS)}."),
        click.option("--seed", type=click.IntRange(min=0), default=0, metavar="N", help="Random seed."),
        click.option("--n-features", type=int, default=n_features, metavar="N", help="Most stored entries a row."),
    )

    def add(command: _Command) -> _Command:
        # click hands over every option as a keyword: these are taken out, the others belong to the command
        @wraps(command)
        def _call(
            *arguments: Any,
            n_features: int,
            seed: int,
            method: str,
            keys: Keys,
            draws: str,
            anchors: Anchoring,
            buckets: int,
            bits: int | None,
            storage: Storage,
            **others: Any,
        ) -> Any:
            # any text: what is no method is refused with the plan
            if bits is not None and keys == "auto":
                keys = "bits"
            own_bits = 8 if bits is None else bits
            settings = MapSettings(n_features, seed, method, buckets, own_bits, keys, storage, draws, anchors)
            return command(*arguments, settings=settings, **others)

        with_options: _Command = _call
        for option in options:
            with_options = option(with_options)
        return with_options

    return add
