"""Similar rows by hash keys, without comparing all pairs: python examples/neighbours.py"""

from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

import kernelspec as ks

TOGETHER = 4
"""Keys that must agree at once: rows with kernel value k share an address with probability k⁴."""


def main() -> None:
    """Index 2,000 baskets, and look for the ones that 50 altered baskets came from."""
    rng = np.random.default_rng(0)
    baskets = rng.gamma(0.3, size=(2000, 300)) * (rng.random((2000, 300)) < 0.1)
    spec = ks.load(Path(__file__).parent / "specs" / "documents.kernel")
    features = ks.compile(spec, dim=300, n_features=80)
    index = defaultdict(list)
    for row, places in enumerate(features.keys(baskets).reshape(len(baskets), -1, TOGETHER)):
        for place in places:
            index[place.tobytes()].append(row)
    chosen = rng.choice(len(baskets), 50, replace=False)
    altered = baskets[chosen] * rng.uniform(0.7, 1.3, (50, 300))
    compared, right = 0, 0
    for came_from, places in zip(chosen, features.keys(altered).reshape(50, -1, TOGETHER), strict=True):
        met = Counter(row for place in places for row in index[place.tobytes()])
        compared += len(met)
        right += bool(met) and met.most_common(1)[0][0] == came_from
    print(f"{right} of 50 found, among {compared / 50:.1f} candidates each instead of {len(baskets)}")
    same = np.diagonal(spec.gram(altered, baskets[chosen]))
    print(f"the kernel: {same.mean():.2f} with the right one, {spec.gram(altered, baskets[:200]).mean():.2f} with any")


if __name__ == "__main__":
    main()
