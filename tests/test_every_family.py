"""Unbiased over every family: random specs with every kernel, operator, activation and distribution of the language.

For each of them every method that the spec offers is judged: mean and variance of its samples, maps against their
samples, features against maps, in single precision too, keys exact and hashed.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from kernelspec.catalogue import ACTIVATIONS, DISTRIBUTIONS, KERNELS
from kernelspec.testing.laboratory import Ledger
from kernelspec.testing.samples import assert_samples
from tests.strategies.cases import Case, cases, everything
from tests.thoroughness import sweep

WITHOUT_VARIANCE = {"kernel binary", "kernel constant", "kernel cosine"}
"""Parts of kernels that may all be free of variance where few examples are drawn."""

EXAMPLES, NESTED, SAMPLES = 3, 17, 2000
"""By default; under --thorough there are thirty times as many of each."""


def judge(strategy: st.SearchStrategy[Case], examples: int, samples: int, chosen: int) -> list[Counter[str]]:
    """Judge random specs: the same in every run of one number `chosen`, and others where it is another.

    Returns how many specs had each part, and how many methods of these had their means and variances judged.
    """
    drawn, means, variances = counts = [Counter[str](), Counter[str](), Counter[str]()]
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large]

    @seed(chosen)
    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=checks)
    @given(case=strategy)
    def run(case: Case) -> None:
        judged = assert_samples(case.text, case.rows, n=samples)
        for part in case.parts:
            drawn[part] += 1
            means[part] += sum(1 + own.hashed for own in judged if own.n_means)
            variances[part] += sum(1 + own.hashed for own in judged if own.n_variances)

    run()
    return counts


@pytest.fixture
def chosen(ledger: Ledger, thorough: bool) -> int:
    """Which random specs: fixed by `--draw-seed`, others in every thorough run."""
    return secrets.randbelow(2**32) if thorough else ledger.seed


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::kernelspec.maps.evaluation.RoundingWarning")
@pytest.mark.parametrize("part", sweep(everything(), every=4, costly=["operator image", "kernel gaussian"]))
def test_every_part_of_the_language(part: str, thorough: bool, chosen: int) -> None:
    factor = 30 if thorough else 1
    drawn, means, variances = judge(cases(part), EXAMPLES * factor, SAMPLES * factor, chosen)
    assert drawn[part] >= EXAMPLES * factor // 3
    assert means[part] >= EXAMPLES * factor
    assert variances[part] >= factor or part in WITHOUT_VARIANCE


@pytest.mark.long
@pytest.mark.parametrize("batch", sweep(range(3), every=3))
def test_kernels_of_kernels_of_kernels(batch: int, thorough: bool, chosen: int) -> None:
    factor = 30 if thorough else 1
    judge(cases(max_depth=3), NESTED * factor, SAMPLES * factor, chosen + batch)


def test_every_name_of_the_language_is_a_part() -> None:
    for kind, names in (("kernel", KERNELS), ("activation", ACTIVATIONS), ("distribution", DISTRIBUTIONS)):
        assert {f"{kind} {name}" for name in names} <= set(everything())


def shrunk(strategy: st.SearchStrategy[Case], is_wrong: Callable[[Case], bool]) -> str:
    """The text that a failure shrinks to."""
    found: list[str] = []

    @settings(max_examples=300, deadline=None, derandomize=True, database=None, phases=[Phase.generate, Phase.shrink])
    @given(strategy)
    def run(case: Case) -> None:
        if is_wrong(case):
            found.append(case.text)
            raise AssertionError

    with pytest.raises(AssertionError):
        run()
    return found[-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", sweep(["kernel triangle", "operator product", "operator tilt", "activation relu"], every=4)
)
def test_failures_shrink_to_few_nodes(part: str) -> None:
    text = shrunk(cases(max_depth=3), lambda case: part in case.parts)
    assert text.count("(") <= 6, text
