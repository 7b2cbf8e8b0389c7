"""The door to QUADPACK: what goes through it, and what is turned away."""

from __future__ import annotations

import ast
import math
from pathlib import Path

import pytest

import kernelspec
from kernelspec.errors import NotFiniteError
from kernelspec.special.quadrature import cosine_integral_between

WANTED = {"absolute": 1e-12, "relative": 1e-12}


def test_a_cosine_integral() -> None:
    found = cosine_integral_between(lambda t: math.exp(-t), 0, 50, 3, **WANTED)
    assert found == pytest.approx(1 / 10, abs=1e-12)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_no_number_that_is_not_finite_goes_in(value: float) -> None:
    with pytest.raises(NotFiniteError, match="integrand of a quadrature is"):
        cosine_integral_between(lambda t: value if t > 1 else 1.0, 0, 2, 3, **WANTED)
    with pytest.raises(NotFiniteError, match="upper limit"):
        cosine_integral_between(lambda t: 1.0, 0, value, 3, **WANTED)
    with pytest.raises(NotFiniteError, match="frequency"):
        cosine_integral_between(lambda t: 1.0, 0, 2, value, **WANTED)


@pytest.mark.long
def test_there_is_no_other_door() -> None:
    """SciPy's compiled quadrature is imported in one module alone."""
    package = Path(kernelspec.__file__).parent
    doors = []
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            doors += [path.name for name in names if name.startswith("scipy.integrate")]
    assert doors == ["guarded_quadrature.py"]
