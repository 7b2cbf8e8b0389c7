"""The report as LaTeX."""

from __future__ import annotations

import pytest

import kernelspec as ks
from tests.analysis.analyzed import analyzed
from tests.elaboration.specs import ALL


@pytest.mark.slow
@pytest.mark.parametrize("text", ALL)
def test_every_kernel(text: str) -> None:
    latex = analyzed(text, 2).latex()
    assert latex.startswith("\\begin{align*}\n  k(x, y) &= ")
    assert latex.endswith("\n\\end{align*}")


@pytest.mark.slow
@pytest.mark.parametrize("text", [t for t in ALL if "[" not in t])
def test_any_number_of_columns(text: str) -> None:
    assert "k(x, y) &= " in analyzed(text).latex()


def test_lines_of_what_there_is() -> None:
    """Methods of one variance share a line; categories have no spectral measure."""
    gaussian = ks.analyze("gaussian()", dim=1).latex().splitlines()
    assert [line.split(" &= ")[0].strip() for line in gaussian[1:-1]] == [
        "k(x, y)",
        r"\mu(\omega)",
        r"\mathbb{E}\lVert\omega\rVert^2",
        r"\mathbb{E}\,\omega^4",
        r"\mathbb{E}\,\omega^6",
        r"\mu(\omega)",
        r"\operatorname{Var}_{\text{paired, complex}}",
        r"\operatorname{Var}_{\text{phase}}",
    ]
    assert r"\mu(\omega)" not in ks.analyze("gaussian()*match()[0]", dim=2).latex()
