"""Workers that cannot be had, and what they leave of an error."""

from __future__ import annotations

import gc
import os
from typing import Any

import pytest

from kernelspec import loading
from kernelspec.cli import cluster
from kernelspec.cli.cluster import workers
from kernelspec.errors import ClusterError, MissingPackageError


def test_without_dask_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "find_spec", lambda name: None)
    with (
        pytest.raises(MissingPackageError, match=r"package distributed.*pip install 'kernelspec\[dask\]'"),
        workers(None),
    ):
        pass


@pytest.mark.slow
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere", "quic://127.0.0.1:9"])
def test_nobody_answers(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """And Dask computes elsewhere as it did before; no client is left that would close at any time."""
    dask = pytest.importorskip("dask")
    distributed = pytest.importorskip("distributed")
    before = dask.config.get("scheduler", None)
    monkeypatch.setattr(cluster, "_SECONDS_TO_CONNECT", 1)
    others = _clients(distributed)
    gc.disable()
    try:
        with pytest.raises(ClusterError, match="no Dask scheduler answers"), workers(address):
            pass
        left = _clients(distributed) - others
    finally:
        gc.enable()
    assert dask.config.get("scheduler", None) == before
    assert not left


def _clients(distributed: Any) -> set[int]:
    return {id(thing) for thing in gc.get_objects() if type(thing) is distributed.Client}


@pytest.mark.long
def test_workers_of_our_own_do_not_watch_themselves_nor_do_those_that_replace_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And others that are started in this process do as they are told."""
    dask = pytest.importorskip("dask")
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "processors", lambda: 2)
    setting, threshold = "distributed.worker.profile.enabled", "MALLOC_TRIM_THRESHOLD_"
    monkeypatch.delenv(threshold, raising=False)
    before = dask.config.get(setting)
    with workers(None) as client:
        assert list(client.run(dask.config.get, setting).values()) == [False, False]
        client.restart()
        assert list(client.run(dask.config.get, setting).values()) == [False, False]
        assert list(client.run(os.environ.get, threshold).values()) == [None, None]
        assert dask.config.get(setting) == before
    assert dask.config.get(f"distributed.nanny.pre-spawn-environ.{threshold}") is not None
