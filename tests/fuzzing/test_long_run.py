"""Tests of `fuzzing/long_run.py`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.fuzzing.campaign import case_of, short_campaign
from tests.fuzzing.long_run import Piece, pieces, rounds, summary
from tests.fuzzing.targets import TARGETS
from tests.thoroughness import sweep


@pytest.mark.slow
@pytest.mark.parametrize("name", sweep(TARGETS, costly=["saved maps", "texts: parsed and printed"]))
def test_bad_input_is_refused_or_read_right(name: str, tmp_path: Path, fuzzing_cases: int | None) -> None:
    target = TARGETS[name]
    if fuzzing_cases is None:
        short_campaign(target, tmp_path)
    else:
        found = pieces(name, 0, 0, fuzzing_cases * target.share // 1000)
        assert not [failure for own in found for failure in own.failures]


_TEXTS = "texts: parsed and printed"


def test_a_case_is_the_same_whenever_it_is_made() -> None:
    for name, target in TARGETS.items():
        assert case_of(target, name, 1, 5) == case_of(target, name, 1, 5)
    assert len({case_of(TARGETS[_TEXTS], _TEXTS, 1, number) for number in range(20)}) > 10


def test_shares_are_of_a_thousand() -> None:
    assert sum(target.share for target in TARGETS.values()) == 1000


@pytest.mark.long
def test_a_piece_is_run_and_summed_up(tmp_path: Path) -> None:
    (found,) = pieces(_TEXTS, 3, 5, 25)
    assert (found.first, found.last, found.failures) == (5, 25, [])
    assert found.slowest < 5
    (tmp_path / "results").write_text("\n".join([json.dumps(asdict(found))] * 2))
    assert f"| {_TEXTS} | 40 | 0 |" in summary(tmp_path / "results")


@pytest.mark.long
def test_rounds_go_on_from_any_seed(tmp_path: Path) -> None:
    results = tmp_path / "results"
    for seeds in (range(7, 8), range(7, 9)):
        rounds(results, 10 * len(seeds), seeds, [_TEXTS])
    found = [Piece(**json.loads(line)) for line in results.read_text().splitlines()]
    assert [(own.seed, own.first, own.last) for own in found] == [(7, 0, 4), (8, 0, 4)]
