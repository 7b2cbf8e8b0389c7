"""What a mistake is, and the two ways in which most of them are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

__all__ = ["Mutant", "Patch", "given_another", "result_changed"]

Patch = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True)
class Mutant:
    """A mistake, and specs among which it is looked for: those with this part of the language.

    `samples` judge each spec: more than the usual number for what is small.
    """

    part: str
    patch: Patch
    samples: int = 5000


def result_changed(owner: Any, method: str, change: Callable[[Any, Any], Any]) -> Patch:
    """The method gives `change(self, result)` instead of its result."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        right = getattr(owner, method)
        monkeypatch.setattr(owner, method, lambda self, *arguments: change(self, right(self, *arguments)))

    return patch


def given_another(owner: Any, method: str, another: Callable[[Any], Any]) -> Patch:
    """The method is that of `another(self)`: of the same thing with other numbers."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        right = getattr(owner, method)
        monkeypatch.setattr(owner, method, lambda self, *arguments: right(another(self), *arguments))

    return patch
