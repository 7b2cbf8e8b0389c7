"""Garbage is looked for less often while a command runs, and as before afterwards."""

from __future__ import annotations

import gc

import click
import pytest
from click.testing import CliRunner

from kernelspec.cli.collection import collecting_seldom
from kernelspec.cli.group import LazyGroup


@pytest.fixture
def threshold():
    before = gc.get_threshold()
    yield before
    gc.set_threshold(*before)


@pytest.mark.parametrize(("own", "within"), [((700, 10, 10), 100_000), ((200_000, 5, 5), 200_000), ((0, 10, 10), 0)])
def test_the_more_seldom_of_both_holds_within(threshold, own, within):
    gc.set_threshold(*own)
    with collecting_seldom():
        assert gc.get_threshold() == (within, *own[1:])
    assert gc.get_threshold() == own


def test_it_is_as_before_after_an_error(threshold):
    def fail():
        with collecting_seldom():
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
