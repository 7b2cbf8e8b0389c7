"""A formula of your own, proved to be a kernel and sampled: python examples/own.py"""

from pathlib import Path

import numpy as np

import kernelspec as ks


def main() -> None:
    """Print the proof, and compare features with the formula."""
    spec = ks.load(Path(__file__).parent / "specs" / "own.kernel")
    verdict = ks.analyze(spec).verdict
    print(f"{verdict.positive_definite}: {verdict.reasons[0]}")
    rows = np.random.default_rng(0).uniform(0, 5, (100, 2))
    formula = 1 / (1 + np.log1p(np.linalg.norm(rows[:, None] - rows, axis=2)))
    print(f"the matrix equals the formula: {np.allclose(spec.gram(rows), formula)}")
    certificate = ks.verify(spec, rows, n_maps=100, n_features=1600, max_rows=10)
    print(f"features of it pass: {certificate.passed}")


if __name__ == "__main__":
    main()
