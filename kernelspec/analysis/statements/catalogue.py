"""The list of facts, in the order of all reports."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kernelspec.analysis.statements.atoms import atoms
from kernelspec.analysis.statements.columns import columns
from kernelspec.analysis.statements.composition import composition
from kernelspec.analysis.statements.cosine_estimators import cosine_estimators
from kernelspec.analysis.statements.diagonal import diagonal
from kernelspec.analysis.statements.dual_nodes import dual_nodes
from kernelspec.analysis.statements.kernel import kernel
from kernelspec.analysis.statements.masses import masses
from kernelspec.analysis.statements.mean import mean
from kernelspec.analysis.statements.norm import norm
from kernelspec.analysis.statements.polya import polya
from kernelspec.analysis.statements.second_moment import second_moment
from kernelspec.analysis.statements.skeletons import skeletons
from kernelspec.analysis.statements.spec import spec
from kernelspec.analysis.statements.spectral_density import spectral_density
from kernelspec.analysis.statements.spectral_measure import spectral_measure
from kernelspec.analysis.statements.variance import variance
from kernelspec.analysis.statements.verdict import verdict

if TYPE_CHECKING:
    from kernelspec.analysis.fact import Fact
    from kernelspec.analysis.facts import Facts

__all__ = ["STATEMENTS", "stated"]

STATEMENTS: tuple[Callable[[Facts], Fact], ...] = (
    spec,
    columns,
    verdict,
    kernel,
    diagonal,
    spectral_measure,
    spectral_density,
    atoms,
    second_moment,
    masses,
    mean,
    polya,
    norm,
    composition,
    dual_nodes,
    skeletons,
    cosine_estimators,
    variance,
)


def stated(facts: Facts) -> tuple[Fact, ...]:
    """All facts about one kernel, ready for any report."""
    return tuple(statement(facts) for statement in STATEMENTS)
