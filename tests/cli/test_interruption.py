"""Long work within the limits, interrupted: exit status 130, one word, and nothing left on the disk."""

from __future__ import annotations

import contextlib
import itertools
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import kernelspec as ks
from tests.cli.conftest import ENVIRONMENT, Run
from tests.cli.forked import Ended, Running, run_forked, start_forked

PATIENCE = 60.0
"""Seconds within which a process must have come to the point where it is interrupted, and must have ended after."""

LARGE_SUM = " + ".join(f"0.{i + 1}*gaussian(scale=1.{i + 1})" for i in range(16_000))
"""It is read and planned for several seconds."""


@pytest.fixture
def beside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for what is no part of a run."""
    return tmp_path_factory.mktemp("beside")


def interrupted(running: Running, number: signal.Signals = signal.SIGINT) -> Ended:
    """What a process leaves that is interrupted now and must be running still."""
    assert running.is_running, running.ended()
    running.send(number)
    return running.ended(PATIENCE)


def waits_for(condition: Callable[[], bool]) -> None:
    for _ in range(int(PATIENCE * 100)):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("the process never came to the point where it was to be interrupted")


def left_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "number", "status"),
    [
        ("out.npy", signal.SIGINT, 130),
        ("out.npz", signal.SIGINT, 130),
        ("out.parquet", signal.SIGINT, 130),
        ("out.npy", signal.SIGTERM, 143),
        ("out.npz", signal.SIGHUP, 129),
    ],
)
def test_between_blocks(tmp_path: Path, beside: Path, name: str, number: signal.Signals, status: int) -> None:
    np.save(tmp_path / "x.npy", np.random.default_rng(0).standard_normal((1_000_000, 2)))
    (tmp_path / name).write_text("what stood here before")
    process = start_forked(
        beside,
        *("features", "-e", "gaussian()", tmp_path / "x.npy", "-o", tmp_path / name),
        *("--n-features", 512, "--rows-per-block", 256, "--save-map", tmp_path / "map.npz"),
    )
    waits_for(lambda: len(list(tmp_path.glob(".kernelspec-*"))) == 2)
    time.sleep(0.05)
    ended, said = interrupted(process, number)
    assert ended == status
    assert said == ("interrupted\n" if number == signal.SIGINT else "")
    assert left_in(tmp_path) == {"x.npy", name}
    assert (tmp_path / name).read_text() == "what stood here before"


@pytest.mark.slow
@pytest.mark.parametrize("command", ["features", "check", "explain", "verify"])
def test_while_a_large_spec_is_read_and_planned(tmp_path: Path, beside: Path, command: str) -> None:
    np.save(tmp_path / "x.npy", np.ones((10, 2)))
    data = (tmp_path / "x.npy", "-o", tmp_path / "z.npy") if command == "features" else ("--dim", 2)
    options = () if command == "check" else ("--n-features", 32_000)
    os.mkfifo(beside / "spec")
    process = start_forked(beside, command, "-", *data, *options, stdin=beside / "spec")
    (beside / "spec").write_text(LARGE_SUM)  # more than a pipe holds: when all is taken, the command is running
    time.sleep(0.3)
    assert interrupted(process) == (130, "interrupted\n")
    assert left_in(tmp_path) == {"x.npy"}


@pytest.mark.slow
def test_a_fit_leaves_the_model_that_was_there(tmp_path: Path, beside: Path) -> None:
    np.save(tmp_path / "x.npy", np.random.default_rng(0).standard_normal((40_000, 3)))
    (tmp_path / "model.npz").write_text("what stood here before")
    os.mkfifo(beside / "spec")
    table = (tmp_path / "x.npy", "--target", 2, "-o", tmp_path / "model.npz")
    process = start_forked(beside, "fit", "-", *table, stdin=beside / "spec")
    (beside / "spec").write_text("gaussian()\n")
    time.sleep(1.0)
    assert interrupted(process) == (130, "interrupted\n")
    assert left_in(tmp_path) == {"x.npy", "model.npz"}
    assert (tmp_path / "model.npz").read_text() == "what stood here before"


@pytest.mark.slow
def test_long_planning_is_shown_on_a_terminal_and_ends_at_once(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.random.default_rng(0).standard_normal((2000, 30)))
    pairs = itertools.combinations(range(30), 2)
    (tmp_path / "pairs.kernel").write_text(" + ".join(f"gaussian()[{i}]*laplace()[{j}]" for i, j in pairs))
    code = "from kernelspec.__main__ import run; run()"
    arguments = ["features", "pairs.kernel", "x.npy", "-o", "z.npy", "--n-features", "auto", "--error", "0.001"]
    ours, theirs = pty.openpty()
    environment = {**ENVIRONMENT, "TERM": "xterm"}
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments], env=environment, cwd=tmp_path, stderr=theirs
    ) as run:
        os.close(theirs)
        shown = b""
        while b"planning" not in shown:  # from the first second on
            shown += os.read(ours, 1024)
        began = time.perf_counter()
        run.send_signal(signal.SIGINT)
        with contextlib.suppress(OSError):  # the other end is closed
            while more := os.read(ours, 1024):
                shown += more
        assert run.wait(PATIENCE) == 130
    seconds = time.perf_counter() - began
    os.close(ours)
    assert shown.rstrip().endswith(b"interrupted")
    assert seconds < 3  # about one, on a machine that does nothing else
    assert left_in(tmp_path) == {"x.npy", "pairs.kernel"}


@pytest.mark.slow
def test_a_run_that_is_killed_and_the_next_one(tmp_path: Path, beside: Path) -> None:
    np.save(tmp_path / "x.npy", np.random.default_rng(0).standard_normal((1_000_000, 2)))
    (tmp_path / "z.npy").write_text("what stood here before")
    command = ("features", "-e", "gaussian()", tmp_path / "x.npy", "-o", tmp_path / "z.npy", "-q")
    process = start_forked(beside, *command, "--n-features", 256, "--rows-per-block", 256)
    waits_for(lambda: any(path.stat().st_size > 2**20 for path in tmp_path.glob(".kernelspec-*")))
    assert interrupted(process, signal.SIGKILL) == (-signal.SIGKILL, "")
    (left,) = tmp_path.glob(".kernelspec-*")
    assert (tmp_path / "z.npy").read_text() == "what stood here before"
    assert run_forked(beside, *command, "--n-features", 8) == (0, "")
    assert not left.exists()
    assert left_in(tmp_path) == {"x.npy", "z.npy"}
    assert np.load(tmp_path / "z.npy").shape == (1_000_000, 8)


@pytest.mark.slow
def test_two_runs_to_one_place(tmp_path: Path, beside: Path) -> None:
    np.save(tmp_path / "x.npy", np.random.default_rng(0).standard_normal((300_000, 2)))
    command = ("features", "-e", "gaussian()", tmp_path / "x.npy", "-o", tmp_path / "z.npy", "-q", "--n-features")
    runs = [start_forked(beside, *command, n) for n in (32, 64)]
    waits_for(lambda: len(list(tmp_path.glob(".kernelspec-*"))) == 2 or not all(run.is_running for run in runs))
    assert [run.ended(PATIENCE) for run in runs] == [(0, ""), (0, "")]
    assert left_in(tmp_path) == {"x.npy", "z.npy"}
    found = np.load(tmp_path / "z.npy")
    assert found.shape in ((300_000, 32), (300_000, 64))
    assert np.isfinite(found).all()
    assert (found != 0).any(axis=1).all()


@pytest.mark.long
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_at_any_moment_of_a_program(tmp_path: Path, number: signal.Signals, status: int) -> None:
    """The imports of commands and the end of Python included; not the first tenth, in which `run` itself is imported.

    A process that a signal kills has the same status for a shell.
    """
    (tmp_path / "x.csv").write_text("a,b\n" + "0.5,1\n1.5,2\n" * 5000)
    out = tmp_path / "z.npy"
    code = "from kernelspec.__main__ import run; run()"
    arguments = ["features", "-e", "gaussian()", str(tmp_path / "x.csv"), "-o", str(out), "--n-features", "64", "-q"]
    command = [sys.executable, "-c", code, *arguments]
    began = time.perf_counter()
    subprocess.run(command, env=ENVIRONMENT, check=True)
    whole, seconds = out.read_bytes(), time.perf_counter() - began
    for moment in range(10):
        out.write_bytes(b"what stood here before")
        with subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE) as process:
            time.sleep(seconds * (moment + 1) / 9.5)
            process.send_signal(number)
            said = process.communicate(timeout=PATIENCE)[1].decode()
        has_ended = process.returncode == 0 and out.read_bytes() == whole
        assert has_ended or process.returncode in (status, -number), (moment, said)
        assert out.read_bytes() in (whole, b"what stood here before")
        assert said in ("", "interrupted\n")
        assert left_in(tmp_path) == {"x.csv", "z.npy"}


class Dropped:
    def __del__(self) -> None:
        signal.raise_signal(signal.SIGTERM)  # Python ignores what destructors raise


def test_a_signal_that_python_ignores_is_sent_again(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def wait_for_it(*arguments: object) -> None:
        Dropped()
        time.sleep(PATIENCE)

    monkeypatch.setattr("kernelspec.cli.check.read_spec", wait_for_it)
    result = run("check", "-e", "gaussian()")
    assert (result.exit_code, result.stderr) == (143, "")


def test_a_signal_that_is_lost_decides_the_status_all_the_same(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def lose_it(*arguments: object) -> ks.Spec:
        with contextlib.suppress(SystemExit):
            signal.raise_signal(signal.SIGTERM)
        return ks.parse("gaussian()")

    monkeypatch.setattr("kernelspec.cli.check.read_spec", lose_it)
    result = run("check", "-e", "gaussian()")
    assert (result.exit_code, "positive definite" in result.stdout) == (143, True)


class Named:
    def __init__(self, number: signal.Signals) -> None:
        self.number = number

    def __set_name__(self, owner: type, name: str) -> None:
        signal.raise_signal(self.number)


@pytest.mark.parametrize(
    ("number", "ended"), [(signal.SIGINT, (130, "interrupted\n")), (signal.SIGTERM, (143, ""))], ids=["ctrl-c", "end"]
)
def test_a_signal_while_a_class_is_made(
    run: Run, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, ended: tuple[int, str]
) -> None:
    """Python 3.11 hides what `__set_name__` raises behind a RuntimeError."""

    def make_a_class(*arguments: object) -> type:
        return type("Owner", (), {"named": Named(number)})

    monkeypatch.setattr("kernelspec.cli.check.read_spec", make_a_class)
    result = run("check", "-e", "gaussian()")
    assert (result.exit_code, result.stderr) == ended
