"""Tests of `samples/key_laws.py`."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.sparse import csr_array

from kernelspec.kernels.leaves.coordinatewise import Laplace
from kernelspec.kernels.leaves.of_rows import MinMax
from kernelspec.laws.keys import BinningLaw, GcwsLaw, PoissonLaw
from kernelspec.random.streams import Stream
from kernelspec.samples.keys import BinningKey
from kernelspec.samples.samples import KeyFactor
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean
from tests.laboratory import assert_variance
from tests.maps.parts import there_and_back

__all__ = ["PAIRS", "OneToTwo", "drawn", "law_of_pitches", "minmax", "standard_minmax_tests"]


@dataclass(frozen=True)
class OneToTwo:
    """The uniform law on (1, 2)."""

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        return 1 + stream.generator("uniform").random(shape)

    def __str__(self) -> str:
        return "uniform(1, 2)"


def law_of_pitches(d: int) -> BinningLaw:
    """The law with these pitches; the draw does not ask for its kernel."""
    return BinningLaw(Laplace(dim=d), OneToTwo())  # type: ignore[arg-type]


def drawn(n: int, d: int, seed: int = 0) -> BinningKey:
    """The key of n samples on d columns."""
    (batch,) = law_of_pitches(d).draw(Stream(seed), n, tuple(range(d)))
    (key,) = batch.keys
    assert isinstance(key, BinningKey)
    return key


MinMaxLaw = type[GcwsLaw] | type[PoissonLaw]

RNG = np.random.default_rng(77)
N = 40_000


def minmax(u: np.ndarray, v: np.ndarray) -> float:
    """The kernel of two rows, in extended precision."""
    a, b = (np.concatenate([np.maximum(w, 0), np.maximum(-w, 0)]).astype(np.longdouble) for w in (u, v))
    return float(np.minimum(a, b).sum() / np.maximum(a, b).sum())


def _pairs() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    u, v = RNG.standard_normal((2, 12))
    mixed = 10.0 ** RNG.uniform(-6, 6, 12) * np.sign(u)
    heavy = np.sign(u) * np.abs(RNG.standard_cauchy(12)) ** 2
    sparse = np.where(np.arange(12) % 3 == 0, u, 0)
    return {
        "mixed signs": (u, u + 0.3 * v),
        "tiny": (1e-6 * u, 1e-6 * (u + 0.5 * v)),
        "huge": (1e6 * u, 1e6 * (u + 0.5 * v)),
        "mixed scales": (mixed, mixed * np.exp(0.4 * v)),
        "different totals": (u, 30 * u),
        "heavy tails": (heavy, heavy * np.exp(0.3 * v)),
        "zeros": (sparse, np.where(np.arange(12) % 2 == 0, u + 0.1 * v, 0)),
        "one nonzero": (np.eye(12)[3] * 1.7, np.eye(12)[3] * 2.3),
        "one nonzero among many": (np.eye(12)[0] * 3, np.abs(u)),
        "almost equal": (u, u * (1 + 1e-3)),
        "subnormal": (np.full(12, 4e-320), np.where(np.arange(12) < 5, 4e-320, 8e-320)),
        "1e300": (1e300 * u, 1e300 * (u + 0.5 * v)),
        "no overlap": (np.abs(u), -np.abs(v)),
    }


PAIRS = _pairs()


def factor(law: MinMaxLaw, d: int, n: int, seed: int = 0, *, zero_bit: bool = False) -> KeyFactor:
    (batch,) = law(MinMax(dim=d), zero_bit).draw(Stream(seed), n, tuple(range(d)))
    (key,) = batch.keys
    return key


def agreement(key: KeyFactor, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    keys = key.keys(Rows(np.stack([u, v])), "left")
    return np.asarray(keys[0] == keys[1], dtype=float)


def standard_minmax_tests(law: MinMaxLaw) -> type:
    """A class of tests."""

    class Tests:
        @pytest.mark.parametrize("name", PAIRS)
        def test_probability_of_collision(self, name: str) -> None:
            u, v = PAIRS[name]
            assert_mean(agreement(factor(law, 12, N), u, v), [minmax(u, v)], what=name)

        def test_without_steps_the_law_is_another(self) -> None:
            u, v = PAIRS["different totals"]
            with pytest.raises(AssertionError, match="mean"):
                assert_mean(agreement(factor(law, 12, N, zero_bit=True), u, v), [minmax(u, v)])

        @pytest.mark.slow
        def test_samples_are_independent(self) -> None:
            u, v = PAIRS["mixed signs"]
            means = [agreement(factor(law, 12, 100, seed), u, v).mean() for seed in range(1500)]
            k = minmax(u, v)
            assert_mean(means, [k])
            assert_variance(means, [k * (1 - k) / 100])

        def test_scales_and_orders_of_columns_do_not_matter_in_law(self) -> None:
            u, v = PAIRS["heavy tails"]
            order = RNG.permutation(12)
            for a, b in ((0.37 * u, 0.37 * v), (u[order], v[order]), (-u, -v)):
                assert_mean(agreement(factor(law, 12, N, 5), a, b), [minmax(u, v)])

        def test_keys_do_not_depend_on_the_batch_or_the_storage(self) -> None:
            x = RNG.standard_normal((70, 90)) * (RNG.random((70, 90)) < 0.4)
            x[3] = 0
            x[5] = x[4]
            key = factor(law, 90, 300)
            keys = key.keys(Rows(x), "left")
            assert np.array_equal(keys[4], keys[5])
            for other in (Rows(csr_array(x)), Rows(np.asfortranarray(x))):
                assert np.array_equal(key.keys(other, "right"), keys)
            assert np.array_equal(np.concatenate([key.keys(Rows(x[[i]]), "left") for i in range(70)]), keys)
            padded = np.concatenate([np.zeros((70, 1)), x], axis=1)
            (moved,) = law(MinMax(dim=90)).draw(Stream(0), 300, tuple(range(1, 91)))
            assert np.array_equal(moved.keys[0].keys(Rows(padded), "left"), keys)

        def test_single_and_double_precision_agree(self) -> None:
            x = RNG.standard_cauchy((50, 30)).astype(np.float32)
            key = factor(law, 30, 200)
            assert np.array_equal(key.keys(Rows(x), "left"), key.keys(Rows(x.astype(np.float64)), "left"))

        def test_rows_of_zeros_meet_each_other_alone(self) -> None:
            x = np.array([[0.0, 0.0], [0.0, -0.0], [5e-324, 0.0], [0.0, 1e308]])
            keys = factor(law, 2, 64).keys(Rows(x), "left")
            assert np.array_equal(keys[0], keys[1])
            assert not (keys[0] == keys[2:]).any()

        def test_the_first_samples_do_not_depend_on_how_many_follow(self) -> None:
            x = Rows(RNG.standard_normal((4, 6)))
            keys = factor(law, 6, 5000).keys(x, "left")
            for n in (1, 63, 1024, 1025, 2500):
                assert np.array_equal(factor(law, 6, n).keys(x, "left"), keys[:, :n])

        def test_take_join_and_arrays(self) -> None:
            x = Rows(RNG.standard_normal((4, 6)))
            key, other = factor(law, 6, 1500), factor(law, 6, 40, seed=9)
            index = np.array([1400, 3, 3, 1023, 1024])
            assert np.array_equal(key.take(index).keys(x, "left"), key.keys(x, "left")[:, index])
            both = np.concatenate([key.keys(x, "left"), other.keys(x, "left")], axis=1)
            joined = key.join([other])
            assert np.array_equal(joined.keys(x, "left"), both)
            assert np.array_equal(there_and_back(joined).keys(x, "left"), both)
            copied = pickle.loads(pickle.dumps(joined))
            assert np.array_equal(copied.keys(x, "left"), both)
            assert len(pickle.dumps(joined)) < 100_000  # no tables

        def test_is_described(self) -> None:
            own = law(MinMax(dim=2))
            assert (own.has_key, own.has_phasor) == (True, False)
            assert "0, 2" in own.lines((0, 2))[0]
            assert 0 < own.work(64, 100) < own.work(128, 200)

    return Tests
