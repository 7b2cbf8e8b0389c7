"""Garbage is looked for less often while a command runs, OpenBLAS sleeps, and all is as before afterwards."""

from __future__ import annotations

import gc
import os
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from kernelspec.cli.group import LazyGroup, set_for_a_command


@pytest.fixture
def threshold():
    before = gc.get_threshold()
    yield before
    gc.set_threshold(*before)


@pytest.mark.parametrize(("own", "within"), [((700, 10, 10), 100_000), ((200_000, 5, 5), 200_000), ((0, 10, 10), 0)])
def test_the_more_seldom_of_both_holds_within(threshold, own, within):
    gc.set_threshold(*own)
    with set_for_a_command():
        assert gc.get_threshold() == (within, *own[1:])
    assert gc.get_threshold() == own


def test_it_is_as_before_after_an_error(threshold):
    def fail():
        with set_for_a_command():
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert gc.get_threshold() == threshold


@click.command()
def _say():
    click.echo(gc.get_threshold()[0])


def test_a_command_runs_so(threshold, monkeypatch):
    gc.set_threshold(700, 10, 10)
    monkeypatch.setattr("kernelspec.cli.group.load_from", lambda home: _say)
    assert CliRunner().invoke(LazyGroup("group", {"say": "any:thing"}, "Help."), ["say"]).output == "100000\n"
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("given", [None, "26"])
def test_what_the_environment_says_of_openblas_counts(monkeypatch, given):
    if given is None:
        monkeypatch.delenv("OPENBLAS_THREAD_TIMEOUT", raising=False)
    else:
        monkeypatch.setenv("OPENBLAS_THREAD_TIMEOUT", given)
    with set_for_a_command():
        assert os.environ["OPENBLAS_THREAD_TIMEOUT"] == (given or "20")
    assert os.environ.get("OPENBLAS_THREAD_TIMEOUT") == given


def test_numpy_is_not_imported_before():
    code = "import sys, kernelspec.cli; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
