"""Distributions by name, loaded on use."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["DISTRIBUTIONS", "load_distribution"]

DISTRIBUTIONS: Mapping[str, str] = {}


def load_distribution(name: str) -> type:
    raise KeyError(name)
