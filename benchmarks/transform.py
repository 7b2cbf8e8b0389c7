"""Fourier features against scikit-learn's RBFSampler at equal output: python benchmarks/transform.py

Both maps are fitted before; what is timed is transform of the same array, in one run and in random order. `pairs` is
the plan that kernelspec chooses; `offsets` is the same estimator as scikit-learn's, column for column.
"""

from __future__ import annotations

import statistics
import sys

import numpy as np
from sklearn.kernel_approximation import RBFSampler
from timing import medians, shown

import kernelspec as ks

_ROWS = {512: 40_000, 4096: 8_000}


def main() -> None:
    """Print one line per case; exit with 1 if any median ratio is below 1."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    print("case                 rows   RBFSampler ms          pairs ms               offsets ms             ratio")
    slower = False
    for dtype in (np.float32, np.float64):
        for d in (8, 54, 784):
            for n_features in (512, 4096):
                n = _ROWS[n_features]
                X = np.random.default_rng(0).standard_normal((n, d)).astype(dtype)
                sampler = RBFSampler(gamma=0.5 / d, n_components=n_features, random_state=0).fit(X)
                spec = ks.parse(f"gaussian(scale={d**0.5})")
                pairs = ks.compile(spec, d, n_features, method="paired")
                offsets = ks.compile(spec, d, n_features, method="phase")
                seconds = medians(
                    {
                        "sklearn": lambda s=sampler, X=X: s.transform(X),
                        "pairs": lambda m=pairs, X=X: m.transform(X),
                        "offsets": lambda m=offsets, X=X: m.transform(X),
                    },
                    rounds,
                )
                base = statistics.median(seconds["sklearn"])
                ratios = {name: base / statistics.median(values) for name, values in seconds.items()}
                slower |= min(ratios["pairs"], ratios["offsets"]) < 1
                print(
                    f"{np.dtype(dtype).name} d={d:<4} D={n_features:<5}{n:>6}   {shown(seconds['sklearn']):<22} "
                    f"{shown(seconds['pairs']):<22} {shown(seconds['offsets']):<22} "
                    f"{ratios['pairs']:.2f} (offsets {ratios['offsets']:.2f})"
                )
    sys.exit(1 if slower else 0)


if __name__ == "__main__":
    main()
