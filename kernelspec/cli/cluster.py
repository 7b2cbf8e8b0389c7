"""Workers of Dask: some on this machine, or those of a scheduler that runs already."""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from multiprocessing import resource_tracker
from typing import Any

from kernelspec.errors import ClusterError, KernelspecError
from kernelspec.loading import require_package
from kernelspec.numerics.threads import processors

__all__ = ["local_cluster", "workers"]

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
