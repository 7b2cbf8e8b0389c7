"""The rules that decide what the verdicts of nodes leave open, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from kernelspec.loading import load_from
from kernelspec.verdicts.rule import Rule

__all__ = ["RULES", "rules"]

RULES: Mapping[str, str] = MappingProxyType(
    {
        "expansion": "kernelspec.verdicts.rules.expansion:by_expansion",
        "parts": "kernelspec.verdicts.rules.parts:by_parts",
        "common_factor": "kernelspec.verdicts.rules.common_factor:by_common_factor",
        "densities": "kernelspec.verdicts.rules.densities:by_densities",
        "exact_signs": "kernelspec.verdicts.rules.exact_signs:by_exact_signs",
        "negative_frequency": "kernelspec.verdicts.rules.negative_frequency:by_negative_frequency",
        "closed_densities": "kernelspec.verdicts.rules.closed_densities:by_closed_densities",
    }
)
"""Name → "module:function"."""


def rules() -> Iterator[Rule]:
    """The rules; a module is imported when its rule is first asked."""
    for name in RULES:
        yield load_from(RULES[name])
