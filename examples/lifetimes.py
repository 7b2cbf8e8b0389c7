"""A kernel from a distribution, with frequencies and with bins: python examples/lifetimes.py"""

from pathlib import Path

import numpy as np

import kernelspec as ks


def main() -> None:
    """Print the kernel, and the errors of two kinds of features, predicted and measured."""
    spec = ks.load(Path(__file__).parent / "specs" / "lifetimes.kernel")
    print(f"k(x, y) = {ks.analyze(spec, dim=1).kernel}")
    rows = np.random.default_rng(0).uniform(0, 3, (200, 2))
    exact = spec.gram(rows)
    for method in ("paired", "binning"):
        maps = [ks.compile(spec, data=rows, n_features=128, method=method, seed=seed) for seed in range(20)]
        errors = [np.linalg.norm(one.approximate(rows) - exact) / np.linalg.norm(exact) for one in maps]
        measured = np.sqrt(np.mean(np.square(errors)))
        print(f"{method}: error {measured:.2f}, predicted {maps[0].predicted_error(rows, hashed=False):.2f}")


if __name__ == "__main__":
    main()
