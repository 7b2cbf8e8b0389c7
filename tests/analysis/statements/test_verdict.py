"""The verdict as a fact: three answers that are yes, no or not known."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

import kernelspec as ks
from kernelspec.analysis.statements import verdict_lines, verdict_to_dict
from kernelspec.cli import main
from kernelspec.kernels.kernel import Verdict


@pytest.mark.parametrize(("answer", "word"), [(True, "yes"), (False, "no"), (None, "unknown")])
def test_three_answers(answer: bool | None, word: str) -> None:
    verdict = Verdict("unknown", ("why",), symmetric=answer, stationary=answer)
    assert verdict_lines(verdict) == ["  - why", f"symmetric: {word}", f"stationary: {word}"]
    data = verdict_to_dict(verdict)
    assert (data["symmetric"], data["stationary"]) == (answer, answer)
    assert data["stationary_in_numeric_columns"] is (answer is True)


def test_numeric_columns_alone() -> None:
    verdict = ks.analyze("gaussian()[age] * match()[country]").verdict
    assert verdict_lines(verdict)[-1] == "stationary: in its numeric columns"
    data = verdict_to_dict(verdict)
    assert (data["stationary"], data["stationary_in_numeric_columns"]) == (None, True)
    mixed = ks.analyze("linear()[age] + match()[country]").verdict  # no function of x − y in any columns
    assert verdict_lines(mixed)[-1] == "stationary: no"
    with pytest.raises(ValueError, match="neither stationary nor not"):
        Verdict("proved", (), stationary=True, stationary_in_numbers=True)


def test_the_command_line_says_what_the_report_says() -> None:
    text = "param r\nshift(cosine(1), by=r)"
    found = CliRunner().invoke(main, ["check", "-e", text, "--dim", "1"]).output
    report = ks.analyze(text, dim=1).report()
    for line in ("symmetric: unknown", "stationary: yes"):
        assert line in found.splitlines()
        assert line in report.splitlines()
