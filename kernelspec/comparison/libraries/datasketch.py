"""datasketch: `WeightedMinHash`, consistent weighted sampling for Σ min/Σ max [Ioffe 2010]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.comparison.sampler import COLUMNS, Sampler

__all__ = ["SAMPLERS"]


def _min_max(X: Any, Y: Any) -> NDArray[np.float64]:
    x, y = np.asarray(X)[:, None], np.asarray(Y)[None]
    return np.asarray(np.minimum(x, y).sum(axis=-1) / np.maximum(x, y).sum(axis=-1))


def _variance(X: Any) -> NDArray[np.float64]:
    """Of a share of equal samples: k(1 − k)/n."""
    k = _min_max(X, X)
    return np.asarray(k * (1 - k) / COLUMNS)


def _minhash() -> Any:
    """Indicators of the samples met, over √n: their inner products are the share of equal samples."""
    from datasketch import WeightedMinHashGenerator

    def features(X: Any, generator: np.random.Generator) -> NDArray[np.float64]:
        sketches = WeightedMinHashGenerator(X.shape[1], COLUMNS, seed=int(generator.integers(2**31)))
        samples = np.stack([sketch.hashvalues for sketch in sketches.minhash_many(X)])
        first = (samples[:, None] == samples).all(axis=-1).argmax(axis=1)  # the first row with the same sample
        return np.asarray(np.eye(len(X))[first].reshape(len(X), -1) / np.sqrt(COLUMNS))

    return features


SAMPLERS: Mapping[str, Sampler] = {"WeightedMinHash": Sampler("Σ min/Σ max", _minhash, _min_max, _variance)}
"""The name of the class → what it is held against."""
