"""Verdicts on the list of kernels with known answers: none wrong, few unknown, none slow."""

from __future__ import annotations

import time
from collections import Counter

import pytest

import kernelspec as ks
from tests.verdicts.known_answers import KNOWN, cases

SECONDS = 5.0


def test_the_list_is_long_enough() -> None:
    assert len({known.text for known in KNOWN}) == len(KNOWN) >= 150


@pytest.mark.long
def test_no_answer_is_wrong_and_few_are_unknown() -> None:
    answers: Counter[str] = Counter()
    wrong, late = [], []
    for text, dim, expected, source in cases():
        start = time.process_time()
        found = ks.analyze(text, dim=dim).verdict.positive_definite
        late += [(text, dim)] if time.process_time() - start > SECONDS else []
        answers["right" if found == expected else "unknown" if found == "unknown" else "wrong"] += 1
        wrong += [(text, dim, found, source)] if found not in (expected, "unknown") else []
    assert not wrong
    assert not late
    assert answers["unknown"] <= 0.1 * answers.total()
