"""Why a candidate was taken."""

from __future__ import annotations

from kernelspec.planning.notes import reason_of
from kernelspec.planning.plan import Candidate

ON = "some rows"


def candidate(variance: float, error: float | None = None, **options: object) -> Candidate:
    return Candidate("paired", False, (4,), variance, error=error, **options)  # type: ignore[arg-type]


def test_less_error_with_anchors_or_joint_draws() -> None:
    best = candidate(0.1, 0.01, anchors=7)
    assert reason_of(best, [candidate(0.2, 0.04), candidate(0.2, 0.08)], "auto", ON) == (
        "7 anchors, paired: 4 times less expected error than paired"
    )
    exact = candidate(0.1, 0.0, draws=("sobol",))
    assert "or as good as none" in reason_of(exact, [candidate(0.2, 0.04)], "auto", ON)
    assert "no error is expected on the data" in reason_of(exact, [candidate(0.2, 0.0)], "auto", ON)


def test_what_is_biased_is_no_rival() -> None:
    biased = Candidate("paired", False, (0,), 0.0, error=1e-9, anchors=7)
    assert biased.is_biased
    assert reason_of(candidate(0.1, 0.1), [biased], "auto", ON) == "the only candidate"


def test_what_was_asked_for() -> None:
    assert reason_of(candidate(0.1, 0.1, anchors=3), [], "anchored", ON) == "method='anchored' was asked for"
    worse = candidate(0.1, 0.2, draws=("orthogonal",))
    assert reason_of(worse, [candidate(0.1, 0.1)], "auto", ON) == "paired, orthogonal was asked for"
