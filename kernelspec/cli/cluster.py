"""`kernelspec features --engine dask`: workers, and one run on them."""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from pathlib import Path
from time import perf_counter
from typing import Any

import click
import numpy as np

from kernelspec.cli.data import checked_blocks, feature_files
from kernelspec.cli.feature_run import FeatureRun, MapMaker, SavedMap, Written
from kernelspec.cli.output import check_outputs, counted
from kernelspec.errors import ClusterError, KernelspecError, NoRowsError
from kernelspec.loading import require_package
from kernelspec.maps.evaluation import empty_features, feature_type
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.maps.map_file import saved_map
from kernelspec.numerics.threads import in_this_thread, processors
from kernelspec.tables.atomic import remove_abandoned
from kernelspec.tables.formats import create_features, open_table

__all__ = ["ClusterRun", "local_cluster", "workers", "write_partition"]

_SECONDS_TO_CONNECT = 10


@contextmanager
def workers(scheduler: str | None) -> Iterator[Any]:
    """A client of the scheduler at an address or, for None, of one with a process for every processor here.

    Work goes on elsewhere where a worker is lost. Raises MissingPackageError without Dask; ClusterError where nobody
    answers at the address, where work has cost several workers, and where kernelspec is not installed on them.
    """
    require_package("distributed", extra="dask", purpose="features of several files at a time")
    from distributed import Client, KilledWorker

    try:
        if scheduler is not None:
            with _reached(Client, scheduler) as client:
                yield client
            return
        with ExitStack() as stack:
            with _interrupts_later():
                cluster = stack.enter_context(local_cluster(processors()))
                client = stack.enter_context(Client(cluster, set_as_default=False))
            yield client
    except KilledWorker as error:
        raise ClusterError(f"several workers were lost over one file, for want of memory perhaps: {error}") from None
    except CancelledError:
        raise ClusterError("the scheduler of the workers is gone") from None
    except KernelspecError:
        raise
    except ImportError as error:
        raise ClusterError(f"a worker lacks a package: {error}") from None


def local_cluster(n_workers: int) -> Any:
    """A `distributed.LocalCluster` with so many processes.

    Its workers do not look every 10 ms at what they are doing, for the sake of a page on which nobody looks at them:
    that costs almost a tenth of their time. Nor do those that take the place of lost ones.
    """
    from distributed import LocalCluster

    return LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        silence_logs=50,
        config={"distributed.worker.profile.enabled": False},
    )


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """Within the body, Ctrl-C waits for its end; processes that it starts, and those that replace them, see none ever.

    A terminal sends Ctrl-C to all of them, and each would say with a traceback where it was. They end with this one.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield  # only the main thread may say what signals do
        return
    # Python starts it with the first process, and then lets Ctrl-C through to the thread that does so
    resource_tracker.ensure_running()
    pressed: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # threads and processes begin with that of theirs
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
    if pressed:
        raise KeyboardInterrupt


def _reached(client: Any, address: str) -> Any:
    """Raises ClusterError.

    No client becomes the default: one that fails to connect would stay so, and break whatever uses Dask afterwards.
    """
    try:
        return client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        said = str(error)
    gc.collect()  # what there is of the client closes here: while another starts, it would wait for it, and that for it
    raise ClusterError(f"no scheduler of Dask answers at {address!r}: {said}")


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
