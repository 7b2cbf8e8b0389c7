"""Densities of random composites, real and complex, on one and two columns, against quadrature to the stated error."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import NoDensityError, NotStationaryError
from tests.measures.random_composites import Composite, composites

FEW = 16
POINTS = {1: [[0.0], [0.7], [-1.9]], 2: [[0.0, 0.0], [0.6, -1.1]]}


def deviations(composite: Composite) -> list[tuple[float, float, float]]:
    """At every point the distance from quadrature, the error stated, and that of the quadrature."""
    facts = ks.analyze(composite.text, dim=composite.dim)
    points = np.array(POINTS[composite.dim])
    found, stated = facts.spectral_density_at(points), facts.spectral_density_error_at(points)
    expected = [composite.density(point) for point in points.tolist()]
    return [
        (abs(complex(value) - right), float(error), doubt)
        for value, error, (right, doubt) in zip(found, stated, expected, strict=True)
    ]


def judge(composite: Composite) -> str:
    """`right`, `refused` with a reason, or what is wrong."""
    try:
        found = deviations(composite)
    except (NoDensityError, NotStationaryError) as error:
        return f"refused: {error}"
    for distance, stated, doubt in found:
        # closed forms state no error: they are right to rounding
        if not distance <= stated + doubt + 2e-14:
            return f"wrong: off by {distance:.2g}, stated {stated:.2g}, quadrature {doubt:.2g}"
        if stated > 1e-8:
            return f"vague: states an error of {stated:.2g}"
    return "right"


@pytest.mark.parametrize("composite", composites(11, FEW), ids=lambda composite: composite.text)
def test_the_density_is_that_of_quadrature(composite: Composite) -> None:
    verdict = judge(composite)
    assert verdict == "right" or verdict.startswith("refused: "), verdict
