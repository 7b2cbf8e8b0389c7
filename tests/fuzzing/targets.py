"""All targets by their names."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tests.fuzzing import command_lines, crafted_maps, tables, texts
from tests.fuzzing.campaign import Target

__all__ = ["TARGETS"]

TARGETS: Mapping[str, Target] = MappingProxyType(
    dict(texts.TARGETS | tables.TARGETS | crafted_maps.TARGETS | command_lines.TARGETS)
)
