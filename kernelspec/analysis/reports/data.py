"""All facts about a kernel as JSON data."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kernelspec.analysis.fact import Fact

__all__ = ["facts_to_dict"]


def facts_to_dict(facts: Iterable[Fact]) -> dict[str, Any]:
    """The value of every fact by its name; of what may be missing the reason, by `no_` and its name."""
    found: dict[str, Any] = {}
    for fact in facts:
        found[fact.name] = deepcopy(fact.value)
        if fact.explains:
            found[f"no_{fact.name}"] = fact.missing
    return found
