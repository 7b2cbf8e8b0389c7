"""The exit status of every way a run can end, and what stands on standard error."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

import click
import pytest

from kernelspec.cli.group import exit_statuses, stopping_cleanly
from kernelspec.errors import DataError, FileError, KernelspecError, PlanError
from tests.cli.conftest import ENVIRONMENT

ENDED = """
import sys, click
from kernelspec.cli.group import exit_statuses
try:
    with exit_statuses():
        sys.stdout.write("x" * 200_000)
except click.exceptions.Exit as end:
    sys.exit(end.exit_code)
"""


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (KernelspecError("no"), 2, "no\n"),
        (DataError("row 3"), 2, "row 3\n"),
        (PlanError("größer"), 2, "größer\n"),
        (FileError("a.npy: no such file"), 2, "a.npy: no such file\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (BrokenPipeError(), 141, ""),
        (FileNotFoundError(2, "No such file or directory", "a.npy"), 2, "a.npy: No such file or directory\n"),
        (OSError(28, "No space left on device"), 2, "standard output: No space left on device\n"),
    ],
)
def test_status_and_message(capsys: pytest.CaptureFixture[str], error: BaseException, status: int, said: str) -> None:
    with pytest.raises(click.exceptions.Exit) as ended, exit_statuses():
        raise error
    assert ended.value.exit_code == status
    assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize("error", [ValueError("ours"), SystemExit(3), click.UsageError("theirs")])
def test_what_is_none_of_its_business_passes(error: BaseException) -> None:
    with pytest.raises(type(error)) as raised, exit_statuses():
        raise error
    assert raised.value is error


def test_a_reader_that_goes_away() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ENDED], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()  # more is written than a pipe holds, so that the writer notices in any case
        said = process.stderr.read()
    assert (process.returncode, said) == (141, b"")


def test_standard_output_on_a_full_disk() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", ENDED], env=ENVIRONMENT, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (2, "standard output: No space left on device\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_end_unwinds_and_handlers_come_back(number: signal.Signals) -> None:
    assert threading.current_thread() is threading.main_thread()
    before, unwound = signal.getsignal(number), []

    def stopped() -> None:
        with stopping_cleanly():
            try:
                signal.raise_signal(number)
            finally:
                unwound.append(number)

    with pytest.raises(SystemExit) as ended:
        stopped()
    assert ended.value.code == 128 + number
    assert unwound == [number]
    assert signal.getsignal(number) is before


def test_other_threads_leave_signals_alone() -> None:
    found = []

    def body() -> None:
        with stopping_cleanly():
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGTERM)]
