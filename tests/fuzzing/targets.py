"""All targets by their names."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tests.fuzzing import crafted_maps, texts
from tests.fuzzing.campaign import Target

__all__ = ["TARGETS"]

TARGETS: Mapping[str, Target] = MappingProxyType(
    dict(texts.TARGETS | texts.TARGETS_OF_TABLES | crafted_maps.TARGETS | texts.TARGETS_OF_COMMAND_LINES)
)
