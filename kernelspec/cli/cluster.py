"""`--engine dask` of `kernelspec features` and `fit`: the workers, and one run on them."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from multiprocessing import resource_tracker
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from kernelspec.cli.data import checked_blocks
from kernelspec.cli.feature_run import FeatureRun, MapMaker, SavedMap, Written
from kernelspec.cli.group import check_outputs, counted
from kernelspec.errors import ClusterError, FileError, KernelspecError, NoRowsError
from kernelspec.loading import require_package
from kernelspec.maps.evaluation import empty_features, feature_type
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.maps.map_file import saved_map
from kernelspec.numerics.threads import in_this_thread, processors
from kernelspec.tables.atomic import check_name, check_target, remove_abandoned
from kernelspec.tables.files import matching_files
from kernelspec.tables.formats import create_features

if TYPE_CHECKING:
    from kernelspec.cli.model_tables import TrainingFile
    from kernelspec.models.blocks import DaskPartitions

__all__ = ["ClusterRun", "local_cluster", "partition_files", "partitions_on", "workers"]

_SECONDS_TO_CONNECT = 10


@contextmanager
def workers(scheduler: str | None) -> Iterator[Any]:
    """A client of the scheduler at an address or, for None, of a local one with a process per CPU.

    Work moves to other workers if one is lost. Raises MissingPackageError without Dask; ClusterError if the scheduler
    does not answer, if one file kills several workers, and if workers lack kernelspec.
    """
    require_package("distributed", extra="dask", purpose="several files at a time")
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
        raise ClusterError(f"several workers died on one file, possibly out of memory: {error}") from None
    except CancelledError:
        raise ClusterError("the scheduler of the workers has gone away") from None
    except KernelspecError:
        raise
    except ImportError as error:
        raise ClusterError(f"a package is missing on a worker: {error}") from None


def partitions_on(client: Any, files: Sequence[TrainingFile]) -> DaskPartitions:
    """Files of training rows as partitions that the workers of a client read."""
    from dask import delayed

    from kernelspec.models.blocks import DaskPartitions

    placed = [replace(own, path=os.path.realpath(own.path)) for own in files]
    return DaskPartitions([delayed(own, traverse=False) for own in placed], lambda own: client.compute(own).result())


def local_cluster(n_workers: int) -> Any:
    """A `distributed.LocalCluster` with `n_workers` processes.

    Profiling for the dashboard, which costs almost a tenth of the CPU time, is off, also in replaced workers; so is
    Dask's MALLOC_TRIM_THRESHOLD_, with which the C library asks the system for every large array anew.
    """
    from dask import config
    from distributed import LocalCluster

    with config.set({"distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None}):
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
    """Delay Ctrl-C until the end of the body; processes started there, and their replacements, never receive it.

    A terminal sends Ctrl-C to every process, and each would print a traceback. They end with this one.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield  # only the main thread may set signal handlers
        return
    # starting the first process would start it and unblock Ctrl-C in this thread
    resource_tracker.ensure_running()
    pressed: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # new threads and processes inherit the mask
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
    if pressed:
        raise KeyboardInterrupt


def _reached(client: Any, address: str) -> Any:
    """Connect to a scheduler. Raises ClusterError.

    The client does not become the default: after a failure it would stay the default and break later uses of Dask.
    """
    try:
        return client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        said = str(error)
    gc.collect()  # closes the failed client now: closing it while another one starts would deadlock
    raise ClusterError(f"no Dask scheduler answers at {address!r}: {said}")


@dataclass(frozen=True)
class ClusterRun:
    """What to read and write: absolute paths that every worker sees.

    `read` are other input files, such as the spec, which outputs must not replace.
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
        """Write a file of features for every part, and return a summary.

        If one part fails, complete files stay. Raises KernelspecError.
        """
        began = perf_counter()
        require_package("distributed", extra="dask", purpose="features of several files at a time")
        self._check_outputs(())
        fmap, agreed = self._of_first(maker)
        is_new = not Path(self.folder).exists()
        is_complex = feature_type(fmap, np.dtype(np.float64)).kind == "c"
        outputs = feature_files(self.parts, self.folder, sparse=fmap.is_sparse, is_complex=is_complex)
        try:
            self._check_outputs(outputs)
            written = self._write(SavedMap(fmap, maker.text, maker.columns.csv), outputs, agreed)
        except BaseException:
            remove_abandoned(Path(self.folder))  # workers that end with this process leave temporary files
            if is_new:
                with suppress(OSError):  # it is not empty
                    Path(self.folder).rmdir()
            raise
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
        """The map for the first part with rows, and the precision of its features. Raises KernelspecError.

        If no part has rows, a saved map still produces features without rows.
        """
        for part in self.parts:
            try:
                with maker.columns.opened(part, 1) as reader:
                    fmap = maker.map_for(reader)
                    if reader.has_written_cells:  # finding their types would read all of them
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
        """The result of every part, in order; the first failure ends the run."""
        with ExitStack() as stack:
            if self.save_map is not None:
                stack.enter_context(saved_map(saved.fmap, Path(self.save_map)))
            client = stack.enter_context(workers(self.scheduler))
            if not (self.quiet or client.scheduler_info()["workers"]):
                click.echo(f"{self.scheduler}: has no workers yet; waiting for the first", err=True)
            from distributed import as_completed

            # submitted, not scattered: the scheduler can then recreate it after losing workers
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
        """Refuse outputs that would replace an input or another output. Raises FileError, UsageError."""
        inputs = (*self.parts, *self.read)
        check_outputs(inputs, [("--save-map", self.save_map), *((f"-o {self.folder}:", path) for path in outputs)])


def write_partition(
    saved: SavedMap, part: str, output: str, dtype: str | None, agreed: str, rows_per_block: int | None
) -> Written:
    """Compute the features of one file on a worker, in bounded memory. Raises KernelspecError.

    A part without rows gives features without rows.
    """
    try:
        with in_this_thread():  # there is one worker per CPU
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


_WRITTEN_AS_READ = (".npy", ".npz", ".parquet")


def partition_files(patterns: Sequence[str]) -> tuple[str, ...]:
    """The absolute paths of files and patterns (`part-*.parquet`), in order.

    Raises FileError for a pattern without a match, UsageError for a file named twice.
    """
    found = [os.path.realpath(file) for pattern in patterns for file in matching_files(pattern)]
    if repeated := [path for path, count in Counter(found).items() if count > 1]:
        raise click.UsageError(f"{repeated[0]} is named twice")
    return tuple(found)


def feature_files(parts: Sequence[str], folder: str, *, sparse: bool, is_complex: bool) -> tuple[str, ...]:
    """The output file for every part: the same name in the folder, which is created if needed.

    The suffix is that of the part if it can store the features, else .npz for sparse, .npy for complex and .parquet for
    other features. Raises FileError if a file cannot be written, UsageError if two parts have the same name.
    """
    check_name(folder)
    place = Path(os.path.realpath(folder))
    if place.exists() and not place.is_dir():
        raise FileError(f"{folder}: is a file, but features of several files need a folder")
    if not place.parent.is_dir():
        raise FileError(f"{folder}: the folder {str(place.parent)!r} does not exist")
    found: dict[str, str] = {}
    for part in parts:
        stem = Path(part).name.removesuffix(".gz")
        suffix = _suffix(Path(stem).suffix.lower(), sparse, is_complex)
        target = str(place / f"{Path(stem).stem}{suffix}")
        if target in found:
            raise click.UsageError(f"the features of {part} and of {found[target]} would both be written to {target}")
        found[target] = part
    try:
        place.mkdir(exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder}: cannot create the folder: {error.strerror}") from None
    for target in found:
        check_target(Path(target))
    return tuple(found)


def _suffix(given: str, sparse: bool, is_complex: bool) -> str:
    if sparse:
        return ".npz"
    if is_complex:
        return ".npz" if given == ".npz" else ".npy"
    return given if given in _WRITTEN_AS_READ else ".parquet"
