"""The list of facts, in the order of all reports; a fact is one file and one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.analysis.symbolic_steps import patience
from kernelspec.loading import load_from

if TYPE_CHECKING:
    from kernelspec.analysis.fact import Fact
    from kernelspec.analysis.facts import Facts

__all__ = ["STATEMENTS", "stated"]

STATEMENTS: tuple[str, ...] = (
    "kernelspec.analysis.statements.spec:spec",
    "kernelspec.analysis.statements.columns:columns",
    "kernelspec.analysis.statements.verdict:verdict",
    "kernelspec.analysis.statements.kernel:kernel",
    "kernelspec.analysis.statements.diagonal:diagonal",
    "kernelspec.analysis.statements.spectral_measure:spectral_measure",
    "kernelspec.analysis.statements.spectral_density:spectral_density",
    "kernelspec.analysis.statements.atoms:atoms",
    "kernelspec.analysis.statements.second_moment:second_moment",
    "kernelspec.analysis.statements.moments:moments",
    "kernelspec.analysis.statements.tail_exponent:tail_exponent",
    "kernelspec.analysis.statements.masses:masses",
    "kernelspec.analysis.statements.mean:mean",
    "kernelspec.analysis.statements.polya:polya",
    "kernelspec.analysis.statements.norm:norm",
    "kernelspec.analysis.statements.composition:composition",
    "kernelspec.analysis.statements.dual_nodes:dual_nodes",
    "kernelspec.analysis.statements.skeletons:skeletons",
    "kernelspec.analysis.statements.cosine_estimators:cosine_estimators",
    "kernelspec.analysis.statements.variance:variance",
)
"""Functions from facts to one `Fact`, as "module:function"."""


def stated(facts: Facts) -> tuple[Fact, ...]:
    """All facts about one kernel, ready for any report."""
    with patience():
        return tuple(load_from(statement)(facts) for statement in STATEMENTS)
