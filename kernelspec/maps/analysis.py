"""What became of a plan: predicted beside measured, node by node, as data and in words."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from kernelspec.planning.pair_sums import ROUNDING
from kernelspec.rendering.html import folded, html_grid, html_rows, preformatted
from kernelspec.rendering.latex import latex_rows
from kernelspec.rendering.one_line import quoted
from kernelspec.rendering.spec_html import coloured

__all__ = ["Analysis", "AnalyzedNode"]

_HEAD = ("node", "samples", "columns", "bytes", "predicted", "measured", "of all", "ns/row")
_FAR = 4.0
_OF_32_DRAWS = 0.25


@dataclass(frozen=True)
class AnalyzedNode:
    """The anchors, or a stratum: one part of a plan, whose estimate is added to those of the others.

    `predicted` and `measured` are E‖K̂_i − K_i‖²_F / ‖K‖²_F, K_i what this part has to estimate; for anchors alone the
    square of their bias, else theirs is 0. `standard_error` is that of `measured`. `bytes_held` are those of its
    arrays, `seconds_a_row` what features of a row take.
    """

    name: str
    words: tuple[str, ...]
    samples: int
    columns: int
    bytes_held: int
    predicted: float
    measured: float
    standard_error: float
    seconds_a_row: float
    plan_measured: bool = False

    @property
    def agrees(self) -> bool:
        """Whether prediction and measurement differ by four standard errors at most, or are both within rounding.

        Where the prediction comes from a measurement as well (`plan_measured`: joint draws, anchors) it may be off by
        another quarter, the standard error of a variance from 32 draws.
        """
        if not math.isfinite(self.predicted):
            return False
        own = _OF_32_DRAWS * self.predicted if self.plan_measured else 0.0
        slack = _FAR * self.standard_error + own + 1e-9 * self.measured
        measured, predicted = (max(square, ROUNDING**2) for square in (self.measured, self.predicted))
        return bool(abs(measured - predicted) <= slack)

    def cells(self, total: float) -> tuple[str, ...]:
        """A line of a table, `total` being what was measured of all nodes."""
        return (
            self.name,
            f"{self.samples:,}",
            f"{self.columns:,}",
            f"{self.bytes_held:,}",
            _root(self.predicted),
            f"{_root(self.measured)} ± {_root_error(self.measured, self.standard_error)}",
            f"{self.measured / total:.0%}" if total else "",
            f"{1e9 * self.seconds_a_row:,.0f}",
        )

    def to_dict(self) -> dict[str, Any]:
        """The node as JSON data."""
        return {**asdict(self), "words": list(self.words), "agrees": self.agrees}


@dataclass(frozen=True, repr=False)
class Analysis:
    """A plan as it was carried out on some rows: `nodes`, and in all.

    `predicted` is the square of `FeatureMap.predicted_error` on these rows, `this_map` ‖K̂ − K‖_F / ‖K‖_F of the map
    itself, one draw; `replicates` new draws of every node were measured.
    """

    spec: str
    plan: str
    rows: int
    replicates: int
    nodes: tuple[AnalyzedNode, ...]
    this_map: float

    @property
    def predicted(self) -> float:
        """Of the whole map; the parts are independent."""
        return sum(node.predicted for node in self.nodes)

    @property
    def measured(self) -> float:
        """The same, measured."""
        return sum(node.measured for node in self.nodes)

    @property
    def standard_error(self) -> float:
        """That of `measured`."""
        return math.sqrt(sum(node.standard_error**2 for node in self.nodes))

    @property
    def worst(self) -> AnalyzedNode | None:
        """The node that adds most to the error; None where there is no error."""
        return max(self.nodes, key=lambda node: node.measured) if self.measured > 0 else None

    def __str__(self) -> str:
        """The tree of the plan, a line for every node, with what it is made of below."""
        rows = [_HEAD, *(node.cells(self.measured) for node in self.nodes)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(_HEAD))]
        said = [f"analysis: {self.plan}", "  relative error (Frobenius) of the kernel matrix, part by part:"]
        said.append("  " + _aligned(_HEAD, widths))
        for row, node in zip(rows[1:], self.nodes, strict=True):
            marks = " ← most of the error" * (node is self.worst and len(self.nodes) > 1)
            marks += "" if node.agrees else " ≠ not as predicted"
            said.append("  " + _aligned(row, widths) + marks)
            said += [f"      {line}" for line in node.words]
        return "\n".join(said + [f"  {label}: {text}" for label, text in self._rows()])

    def _rows(self) -> list[tuple[str, str]]:
        error = f"{_root(self.measured)} ± {_root_error(self.measured, self.standard_error)}"
        return [
            ("in all", f"predicted {_root(self.predicted)}, measured {error}; this map {self.this_map:.3g}"),
            ("measured on", f"{self.rows} rows, with {self.replicates} new draws of every node"),
        ]

    def __repr__(self) -> str:
        nodes = f"{len(self.nodes)} node{'s' if len(self.nodes) != 1 else ''}"
        error = f"predicted {_root(self.predicted)}, measured {_root(self.measured)}"
        return f"Analysis({quoted(self.spec)}, {nodes}, {error})"

    def _repr_html_(self) -> str:
        """A line for every node, and the whole to be unfolded."""
        table = html_grid(_HEAD, [node.cells(self.measured) for node in self.nodes])
        text = folded("the whole analysis", preformatted(str(self)))
        return coloured(self.spec) + html_rows(f"Analysis: {self.plan}", self._rows()) + table + text

    def _repr_latex_(self) -> str:
        return latex_rows([("analysis", self.plan), *self._rows()])

    def to_dict(self) -> dict[str, Any]:
        """The analysis as JSON data."""
        return {
            "spec": self.spec,
            "plan": self.plan,
            "rows": self.rows,
            "replicates": self.replicates,
            "predicted": self.predicted,
            "measured": self.measured,
            "standard_error": self.standard_error,
            "this_map": self.this_map,
            "worst": None if self.worst is None else self.nodes.index(self.worst),
            "nodes": [node.to_dict() for node in self.nodes],
        }


def _root(square: float) -> str:
    """A relative error, from its square."""
    return f"{math.sqrt(square):.3g}"


def _root_error(square: float, error: float) -> str:
    """The standard error of a root: that of the square over twice the root."""
    return f"{error / (2 * math.sqrt(square)):.1g}" if square > 0 else "0"


def _aligned(cells: tuple[str, ...], widths: list[int]) -> str:
    first, *rest = zip(cells, widths, strict=True)
    return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)])
