"""Streams: the numbers depend on seed, place and purpose, and on nothing else."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import norm

from kernelspec.streams import Stream
from kernelspec.testing.laboratory import assert_proportions


def draw(stream: Stream, purpose: str = "normal", n: int = 50) -> np.ndarray:
    return stream.generator(purpose).random(n)


def test_the_same_at_every_call() -> None:
    np.testing.assert_array_equal(draw(Stream(3, (1, 2))), draw(Stream(3).child(1).child(2)))


def test_every_place_has_its_own_numbers() -> None:
    places = [Stream(s, p) for s in (0, 1, 2**40) for p in ((), (0,), (1,), (0, 0), (0, 1), (1, 0), (0, 0, 0), (257,))]
    firsts = [draw(place, purpose, 1)[0] for place in places for purpose in ("a", "b")]
    assert len(set(firsts)) == len(firsts)


@pytest.mark.parametrize(("one", "other"), [((0,), (1,)), ((0,), (0, 0)), ((2, 3), (3, 2))])
def test_places_are_uncorrelated(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    a, b = draw(Stream(1, one), n=100_000), draw(Stream(1, other), n=100_000)
    z = np.mean((a - 0.5) * (b - 0.5)) * 12 * np.sqrt(100_000)
    assert abs(z) < norm.isf(5e-7)


def test_the_first_rows_do_not_depend_on_the_others() -> None:
    one = Stream(1).generator("normal").standard_normal((10, 3))
    np.testing.assert_array_equal(one, Stream(1).generator("normal").standard_normal((99, 3))[:10])


def test_the_same_in_another_process() -> None:
    code = "from kernelspec.streams import Stream; print(Stream(5, (1,)).generator('g').integers(2**62))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert int(found.stdout) == Stream(5, (1,)).generator("g").integers(2**62)


def test_choices_partition_the_samples_in_the_right_proportions() -> None:
    chosen = Stream(5).choose([0.2, 0.0, 0.5, 0.3], 20_000)
    assert sorted(np.concatenate(chosen).tolist()) == list(range(20_000))
    assert_proportions([len(part) for part in chosen], [0.2, 0.0, 0.5, 0.3])


def test_the_first_choices_do_not_depend_on_how_many_follow() -> None:
    few, many = Stream(5).choose([0.4, 0.6], 50), Stream(5).choose([0.4, 0.6], 500)
    for part, longer in zip(few, many, strict=True):
        assert part.tolist() == [j for j in longer.tolist() if j < 50]
