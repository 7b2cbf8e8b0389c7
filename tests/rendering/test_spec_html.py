"""Specs in colours."""

from __future__ import annotations

import sys
from xml.etree import ElementTree

import pytest

from kernelspec.rendering.notebooks import coloured

TEXT = 'param s = 2  # <b>\n0.7*gaussian(scale=s)["A&B"]\n'


def test_the_text_is_whole_and_coloured() -> None:
    tree = ElementTree.fromstring(coloured(TEXT))
    assert "".join(tree.itertext()) == TEXT.rstrip()
    assert len({part.get("style") for part in tree.iter("span")}) > 4


def test_without_pygments_it_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygments", None)
    tree = ElementTree.fromstring(coloured(TEXT))
    assert "".join(tree.itertext()) == TEXT.rstrip()
    assert not list(tree)
