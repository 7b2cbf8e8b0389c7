"""The size of features in the report."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.analysis.facts import Facts

SIZES = ("norm", "composition", "dual_nodes", "skeletons")


def composition_lines(facts: Facts) -> list[str]:
    return [line for fact in facts.stated if fact.name in SIZES for line in fact.lines]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("gaussian()", ["a feature has norm at most C = 1"]),
        ("sphere()", ["a feature has norm at most C = 2"]),
        ("4*gaussian() - 5*match()", ["a feature has norm at most C = 3"]),
        ("linear()", []),
        ("tilt(cauchy(), by=0.2)", []),
        ("product(t -> cos(t)**3)", []),  # not proved to have features
    ],
)
def test_base_spaces(text: str, lines: list[str]) -> None:
    assert composition_lines(ks.analyze(text, dim=8)) == lines
    assert all(f"\n{line}\n" in ks.analyze(text, dim=8).report() for line in lines)


def test_compositional_kernels() -> None:
    size, bound, node = composition_lines(ks.analyze("dual(hermite(2), sphere())", dim=8))
    assert size == "a feature has 2 factors in the mean; its norm is at most C = 4"
    assert bound.startswith("  512 ln(2/δ)/ε² samples of one law keep")
    assert bound.endswith("(2048 with random offsets)")
    assert node.startswith("dual of hermite(n=2): degrees 0, 1, 2, 3, … with probability 0, 0, 1, 0, …; mean 2")
    size, node = composition_lines(ks.analyze("dual(step, sphere())", dim=8))
    assert size == "a feature has infinite factors in the mean; its norm has no bound"
    assert node.endswith("variance infinite where E|p|² below exceeds 1")


def test_nothing_without_numbers() -> None:
    assert composition_lines(ks.analyze("dual(relu, gaussian())")) == []
    assert composition_lines(ks.analyze("param c > 0\ndual(exp(c=c), circle())", dim=1)) == []
