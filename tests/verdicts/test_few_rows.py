"""Tests of few rows that disprove a kernel, in `verdicts/witness.py`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import kernelspec as ks
from kernelspec.cli import main
from kernelspec.verdicts.witness import few_rows_against

LEVELS = {("a", "a"): 1.0, ("b", "b"): 1.0, ("a", "b"): 0.5, ("b", "a"): 0.5}
"""levels(["a", "b"], [[1, 0.5], [0.5, 1]])."""


def gauss(x: float, y: float, scale: float = 1.0) -> float:
    return float(np.exp(-((x - y) ** 2) / (2 * scale**2)))


CASES: list[tuple[str, int, Callable[[Any, Any], float], int]] = [
    ("match()[0]*gaussian()[1] - 0.5*match()[0]", 2, lambda x, y: (x[0] == y[0]) * (gauss(x[1], y[1]) - 0.5), 3),
    ("gaussian()[1] - 0.1*match()[0]", 2, lambda x, y: gauss(x[1], y[1]) - 0.1 * (x[0] == y[0]), 2),
    ("gaussian()[0] - 0.5*match()[1]*gaussian()[0]", 2, lambda x, y: gauss(x[0], y[0]) * (1 - (x[1] == y[1]) / 2), 2),
    ("0.5*match()[0] - match()[0, 1]", 2, lambda x, y: 0.5 * (x[0] == y[0]) - (tuple(x) == tuple(y)), 1),
    (
        "match()[0]*(gaussian(scale=1e6)[1] - laplace(scale=1e6)[1])",
        2,
        lambda x, y: (x[0] == y[0]) * (gauss(x[1], y[1], 1e6) - np.exp(-abs(x[1] - y[1]) / 1e6)),
        2,
    ),
    (
        "hamming(scale=1)[0, 1] - match()[0]",
        2,
        lambda x, y: np.exp(-((x[0] != y[0]) + (x[1] != y[1])) / 2) - (x[0] == y[0]),
        2,
    ),
    (
        'levels(["a", "b"], [[1, 0.5], [0.5, 1]])[0] - 0.9*gaussian()[1]',
        2,
        lambda x, y: LEVELS[x[0], y[0]] - 0.9 * gauss(x[1], y[1]),
        2,
    ),
    ("linear()[1]*match()[0] - linear()[1]", 2, lambda x, y: x[1] * y[1] * ((x[0] == y[0]) - 1), 2),
    (
        "match()[0]*match()[1] - 0.6*match()[0, 1, 2] + 0.1*match()[2]",
        3,
        lambda x, y: (x[0] == y[0]) * (x[1] == y[1]) - 0.6 * (tuple(x) == tuple(y)) + 0.1 * (x[2] == y[2]),
        2,
    ),
    (
        "brownian(until=5)[0]*match()[1] - 0.5*match()[1]",
        2,
        lambda x, y: (min(x[0], y[0]) - 0.5) * (x[1] == y[1]),
        1,
    ),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("text", "dim", "value", "most"), CASES, ids=[case[0] for case in CASES])
def test_the_matrix_of_the_rows_has_the_eigenvalue(
    text: str, dim: int, value: Callable[[Any, Any], float], most: int
) -> None:
    verdict = ks.analyze(text, dim=dim).verdict
    assert verdict.positive_definite == "disproved"
    assert verdict.witness is not None
    rows = verdict.witness.points
    assert rows is not None
    assert len(rows) <= most
    matrix = np.array([[value(x, y) for y in rows] for x in rows])
    least = float(np.linalg.eigvalsh(matrix)[0])
    assert least == pytest.approx(verdict.witness.eigenvalue, rel=1e-9)
    assert least < -1e-3 * np.abs(matrix).max()
    assert verdict.reasons[-1].endswith(f"has the eigenvalue {least:.3g} < 0")
    assert "with the weights v = (" in verdict.steps[-1]


def test_the_gram_of_the_spec_agrees_for_functions_of_columns() -> None:
    spec = ks.parse("match()[c]*gaussian()[log(x)] - 0.5*match()[c]")
    witness = ks.analyze(spec, columns=["x", "c"]).verdict.witness
    assert witness is not None
    assert witness.points is not None
    x, c = (np.array(column, dtype=float) for column in zip(*witness.points, strict=True))
    lag = np.log(x)[:, None] - np.log(x)
    least = np.linalg.eigvalsh((c[:, None] == c) * (np.exp(-(lag**2) / 2) - 0.5))[0]
    assert least == pytest.approx(witness.eigenvalue, rel=1e-9)
    assert least < -1e-3


@pytest.mark.parametrize(
    "text",
    ["match()[0]*gaussian()[1]", "match()[0] + linear()[1]", "match()[0]*laplace()[1] - 0.3*match()[0]*gaussian()[1]",
     "hamming()[0, 1]", "match()[0] - match()[0]"],
)  # fmt: skip
def test_nothing_is_found_for_positive_definite_kernels(text: str) -> None:
    spec = ks.parse(text)
    assert few_rows_against(spec, spec.columns(2)) is None


def test_an_asymmetric_kernel_and_a_free_parameter_have_no_rows() -> None:
    assert ks.analyze("shift(gaussian(), by=1)[0]*match()[1]", dim=2).verdict.witness is None
    assert ks.analyze("param w > 0\nmatch()[0] - (2 + w)*match()[0]", dim=1).verdict.witness is None


def test_the_command_line_shows_the_rows() -> None:
    text = 'levels(["a", "b"], [[1, 1/2], [1/2, 1]])[0] - match()[1]'
    shown = CliRunner().invoke(main, ["check", "-e", text, "--dim", "2", "--steps"])
    assert 'the rows [["a", 0], ["a", 1]] with the weights v = ' in shown.output
    assert 'rows [["a", 0], ["a", 1]] has the eigenvalue -1 < 0' in shown.output
    found = json.loads(CliRunner().invoke(main, ["check", "-e", text, "--dim", "2", "--json"]).output)
    assert found["witness"]["points"] == [["a", 0.0], ["a", 1.0]]
    assert found["witness"]["eigenvalue"] == pytest.approx(-1)


ZERO = [
    "linear()[x**2] - linear()[x]**2",
    "basis(t -> t)[x]*basis(t -> t**2)[x] - basis(t -> t**3)[x]",
    "basis(t -> exp(t))[x]**2 - basis(t -> exp(2*t))[x]",
    "linear()[x + y] + linear()[x - y] - 2*linear()[x, y]",
    "basis(t -> cos(1.1e6*t))[x] + basis(t -> sin(1.1e6*t))[x] - cosine(1.1e6)[x]",
]


@pytest.mark.parametrize("text", ZERO)
def test_rounding_of_large_terms_that_cancel_disproves_nothing(text: str) -> None:
    """Kernels that are 0 by an identity, such as x²y² = (xy)²."""
    verdict = ks.analyze(text, columns=["x", "y"]).verdict
    assert (verdict.positive_definite, verdict.witness) == ("unknown", None)
    if text.startswith("linear()[x**2]"):  # (1 − 1e-8 − 1)(xy)²
        assert ks.analyze(f"{text} - 1e-8*linear()[x]**2", columns=["x", "y"]).verdict.positive_definite == "disproved"


def test_the_rows_of_dependent_columns_are_rows_of_the_table() -> None:
    """On the circle exp(−(1 − cos θ)) has the mean I_0(1)/e = 0.466."""
    witness = ks.analyze("gaussian()[cycle(hour, 24)] - 0.5*constant()", columns=["hour"]).verdict.witness
    assert witness is not None
    assert witness.points is not None
    hours = np.array(witness.points, dtype=float)
    matrix = np.exp(np.cos(np.pi * (hours - hours.T) / 12) - 1) - 0.5
    assert np.linalg.eigvalsh(matrix)[0] == pytest.approx(witness.eigenvalue, rel=1e-6)
    assert witness.eigenvalue < -1e-6


def test_the_rows_of_one_function_are_rows_of_the_table() -> None:
    spec = ks.parse("gaussian()[log(y)] - 0.5*gaussian()[3*x]")
    witness = ks.analyze(spec, columns=["x", "y"]).verdict.witness
    assert witness is not None
    assert witness.points is not None
    x, y = np.array(witness.points, dtype=float).T[:, :, None]
    matrix = np.exp(-((np.log(y) - np.log(y).T) ** 2) / 2) - 0.5 * np.exp(-9 * (x - x.T) ** 2 / 2)
    assert np.linalg.eigvalsh(matrix)[0] == pytest.approx(witness.eigenvalue, rel=1e-6)


def test_rows_whose_functions_are_only_rounded_are_not_shown() -> None:
    """e^{x/10} at 3584 is 1e155: no digit of its cosine is right."""
    text = "cosine(3)[exp(x/10)]*cosine(3)[max(x, 0)] + gaussian()[exp(x/10)] - laplace(2)[abs(x)]"
    witness = ks.analyze(text, columns=["x"]).verdict.witness
    assert witness is None or witness.points is None or max(abs(float(x)) for (x,) in witness.points) < 300


@pytest.mark.parametrize(("share", "answer"), [("0.999", "unknown"), ("1.001", "disproved")])
def test_rows_without_a_direction_are_not_tried(share: str, answer: str) -> None:
    text = f"normalize(linear())[x, y] - {share}*normalize(linear())[2*x, 2*y]"
    assert ks.analyze(text, columns=["x", "y"]).verdict.positive_definite == answer
