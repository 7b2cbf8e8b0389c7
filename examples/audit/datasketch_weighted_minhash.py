"""The bias of datasketch's WeightedMinHash for Σ min/Σ max, as `kernelspec audit` prints it."""

import numpy as np
from datasketch import WeightedMinHashGenerator

rows = np.random.default_rng(0).gamma(2.0, 0.5, (12, 4))
exact = np.minimum(rows[:, None], rows).sum(axis=-1) / np.maximum(rows[:, None], rows).sum(axis=-1)


def estimates(seed):
    sketches = WeightedMinHashGenerator(4, 64, seed=seed)
    hashes = np.stack([sketch.hashvalues for sketch in sketches.minhash_many(rows)])
    return (hashes[:, None] == hashes).all(axis=-1).mean(axis=-1)


seeds = [int(np.random.default_rng(m).integers(2**31)) for m in range(400)]
errors = np.array([estimate - exact for estimate in map(estimates, seeds)])
certain = errors.mean(axis=0) / np.maximum(errors.std(axis=0), 1e-12)
print(f"{errors.mean(axis=0).flat[np.abs(certain).argmax()]:+.4f}")
