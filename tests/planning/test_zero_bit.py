"""Plans with min-max keys without t*."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.laws.keys import GcwsLaw
from kernelspec.laws.rules import law_of
from kernelspec.planning.strata import Stratum
from kernelspec.published.estimators import with_zero_bit
from tests.laws.texts import kernel_of
from tests.maps.parts import there_and_back


def test_refusal_and_round_trip() -> None:
    with pytest.raises(PlanError, match="which this kernel does not have"):
        ks.compile("laplace() * match()[0]", dim=2, published=ks.Published(zero_bit=True))
    plan = ks.compile(
        "minmax()[0, 1] * laplace()[2]", dim=3, published=ks.Published(zero_bit=True), method="binning"
    ).plan
    assert plan.zero_bit
    assert there_and_back(plan) == plan


@pytest.mark.parametrize("scheme", ["gcws", "poisson"])
def test_every_minmax_is_changed_and_changed_back(scheme: str) -> None:
    kernel = kernel_of("(minmax()[0, 1] + match()[2]) * dual(exp(c=1), minmax()) + laplace()", 3)
    strata = (Stratum(1.0, law_of(kernel, scheme), (0, 1, 2), scheme),)
    short = with_zero_bit(strata)
    assert short != strata
    assert with_zero_bit(short, zero_bit=False) == strata
    found, pending = [], [short[0].law]
    while pending:
        law = pending.pop()
        pending.extend(law.children())
        if isinstance(law, GcwsLaw) or type(law).__name__ == "PoissonLaw":
            found.append(law)
    assert len(found) == 2
    assert all(law.zero_bit for law in found)  # type: ignore[attr-defined]
