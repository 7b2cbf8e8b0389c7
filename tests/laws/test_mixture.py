"""Sums below a product: one of the terms at random, with the weight that makes up for it."""

from __future__ import annotations

import numpy as np
from kernelspec.laws.sampler import Sampler

import kernelspec as ks
from kernelspec.laws.mixture import MixtureSampler
from kernelspec.random.streams import Stream
from kernelspec.samples.keys.match import MatchSampler
from kernelspec.testing.laboratory import assert_proportions


def mixture() -> MixtureSampler:
    return MixtureSampler(tuple(MatchSampler((i,)) for i in range(3)), (2.0, -1.0, 1.0), (0.5, 0.25, 0.25))


def test_terms_come_with_their_probabilities() -> None:
    counts = {batch.keys[0].columns[0]: len(batch) for batch in mixture().draw(Stream(4), 20_000)}
    assert_proportions([counts[i] for i in range(3)], [0.5, 0.25, 0.25])


def test_weights_and_signs() -> None:
    for batch in mixture().draw(Stream(4), 100):
        assert set(batch.weight) == {4.0}
        assert set(batch.sign) == {-1.0 if batch.keys[0].columns == (1,) else 1.0}


def test_terms_draw_from_streams_of_their_own() -> None:
    spec = ks.parse("gaussian() * 1")
    part: Sampler = spec.kernel(spec.columns(1)).sampler((0,))
    (batch,) = MixtureSampler((part, part), (1.0, 1.0), (0.5, 0.5)).draw(Stream(0), 1000)
    assert batch.phasors is not None
    assert len(np.unique(batch.phasors.frequencies)) == 1000
    assert list(batch.index) == list(range(1000))


def test_lines_show_the_probabilities() -> None:
    lines = mixture().lines()
    assert lines[0] == "one of, with probability"
    assert [line.split(":")[0].strip() for line in lines[1:]] == ["0.5", "0.25", "0.25"]
