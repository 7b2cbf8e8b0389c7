"""One run of `kernelspec features --engine dask`: the map is made here, and every file is written by some worker."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import click
import numpy as np

from kernelspec.cli.cluster import workers
from kernelspec.cli.feature_run import FeatureRun, MapMaker, Written
from kernelspec.cli.map_source import SavedMap
from kernelspec.cli.outputs import check_outputs
from kernelspec.cli.partitions import feature_files
from kernelspec.cli.progress import counted
from kernelspec.cli.streaming import checked_blocks
from kernelspec.errors import NoRowsError
from kernelspec.files import create_features, open_table
from kernelspec.files.atomic import remove_abandoned
from kernelspec.loading import require_package
from kernelspec.maps.evaluation import empty_features, feature_type
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.maps.saved.map_file import saved_map
from kernelspec.numerics.threads import in_this_thread

__all__ = ["ClusterRun", "write_partition"]


@dataclass(frozen=True)
class ClusterRun:
    """What to read, absolute paths that every worker sees, and what to write into which folder.

    `read` are other files that are read, such as that of the spec: like the parts, none of them is replaced.
    """

    parts: tuple[str, ...]
    folder: str
    dtype: str | None
    rows_per_block: int | None
    save_map: str | None
    scheduler: str | None
    quiet: bool
    read: tuple[str | None, ...] = ()

    def run(self, maker: MapMaker) -> str:
        """Write a file of features for every part; in words what was read and written.

        A file that is complete stays, whatever becomes of the others. Raises KernelspecError.
        """
        began = perf_counter()
        require_package("distributed", extra="dask", purpose="features of several files at a time")
        self._check_outputs(())
        fmap, agreed = self._of_first(maker)
        is_complex = feature_type(fmap, np.dtype(np.float64)).kind == "c"
        outputs = feature_files(self.parts, self.folder, sparse=fmap.is_sparse, is_complex=is_complex)
        self._check_outputs(outputs)
        written = self._write(SavedMap(fmap, maker.text, maker.header), outputs, agreed)
        if not self.quiet:
            for part, own in zip(self.parts, written, strict=True):
                for words in (*own.said, own.unmet_shown(part)):
                    if words:
                        click.echo(words, err=True)
        read = next((own.read for own in written if own.n_rows), "no file has a row")
        total = Written(sum(own.n_rows for own in written), written[0].n_columns, 0, read)
        files = f"{len(outputs):,} file{'s' if len(outputs) != 1 else ''}"
        return total.summary(perf_counter() - began, f"{files} in {self.folder}")

    def _of_first(self, maker: MapMaker) -> tuple[FeatureMap, str]:
        """The map for the first part that has rows, and the precision of its features. Raises KernelspecError.

        Where none has a row, as a filter may leave it, a map that is there already has features without rows.
        """
        for part in self.parts:
            try:
                with open_table(
                    part, rows_per_block=1, columns=maker.dim, header=maker.header, names=maker.names
                ) as reader:
                    fmap = maker.map_for(reader)
                    if reader.has_written_cells:  # all of them would be read to tell their types
                        return fmap, "float64"
                    _, rows = next(checked_blocks(fmap.plan.layout, reader, maker.text))
                    return fmap, "float32" if rows.numbers.dtype == np.float32 else "float64"
            except NoRowsError:
                continue
        if isinstance(maker, SavedMap):
            return maker.fmap, "float64"
        n = len(self.parts)
        raise NoRowsError(f"{self.parts[0]}: has no rows" if n == 1 else f"none of the {n:,} files has a row")

    def _write(self, saved: SavedMap, outputs: tuple[str, ...], agreed: str) -> list[Written]:
        """What came of every part, in order. The first that fails ends the run."""
        try:
            return self._written(saved, outputs, agreed)
        except BaseException:
            remove_abandoned(Path(self.folder))  # a worker that ends with this process takes no leave of its file
            raise

    def _written(self, saved: SavedMap, outputs: tuple[str, ...], agreed: str) -> list[Written]:
        with ExitStack() as stack:
            if self.save_map is not None:
                stack.enter_context(saved_map(saved.fmap, Path(self.save_map)))
            client = stack.enter_context(workers(self.scheduler))
            if not (self.quiet or client.scheduler_info()["workers"]):
                click.echo(f"{self.scheduler}: has no workers yet; waiting for the first", err=True)
            from distributed import as_completed

            # the scheduler keeps what it takes to make this again, should the workers that hold it be lost
            held = client.submit(_as_it_is, saved, pure=False)
            futures = [
                client.submit(write_partition, held, part, output, self.dtype, agreed, self.rows_per_block, pure=False)
                for part, output in zip(self.parts, outputs, strict=True)
            ]
            show = stack.enter_context(counted("features", "files", quiet=self.quiet))
            for done, future in enumerate(as_completed(futures, loop=client.loop), 1):
                future.result()
                show(done, len(futures))
            return [future.result() for future in futures]

    def _check_outputs(self, outputs: tuple[str, ...]) -> None:
        """Refuse what would replace an input, or another output. Raises FileError, UsageError."""
        inputs = (*self.parts, *self.read)
        check_outputs(inputs, [("--save-map", self.save_map), *((f"-o {self.folder}:", path) for path in outputs)])


def write_partition(
    saved: SavedMap, part: str, output: str, dtype: str | None, agreed: str, rows_per_block: int | None
) -> Written:
    """What a worker does: one file of rows in, one of features out, in bounded memory. Raises KernelspecError.

    Of a part without rows, as engines write where a filter leaves nothing, the features have no rows either.
    """
    try:
        with in_this_thread():  # there is a worker for every processor
            run = FeatureRun(part, output, dtype, rows_per_block, None, quiet=True, agreed=agreed)
            return run.write(saved)
    except NoRowsError:
        fmap = saved.fmap
        names, kind = fmap.names(), feature_type(fmap, np.dtype(dtype or agreed))
        with create_features(output, names=names, dtype=kind, sparse=fmap.is_sparse) as writer:
            writer.write(empty_features(fmap, len(names), kind))
        return Written(0, len(names), 0, "")


def _as_it_is(saved: SavedMap) -> SavedMap:
    return saved
