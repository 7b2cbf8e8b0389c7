"""Another library's features, compared with a kernel: python examples/foreign.py"""

from pathlib import Path

import numpy as np
from sklearn.kernel_approximation import RBFSampler

import kernelspec as ks
from kernelspec.testing import assert_unbiased


def without_root(rows: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Random cosines without √2, a common mistake."""
    frequencies = generator.standard_normal((rows.shape[1], 64)) / 2
    return np.cos(rows @ frequencies + generator.uniform(0, 2 * np.pi, 64)) / np.sqrt(64)


def main() -> None:
    """Judge three feature maps of the same kernel."""
    spec = ks.load(Path(__file__).parent / "specs" / "foreign.kernel")
    rows = np.random.default_rng(0).standard_normal((6, 3))
    claims = {
        "RBFSampler(gamma=1/8)": RBFSampler(gamma=1 / 8, n_components=64),
        "RBFSampler(gamma=1/4)": RBFSampler(gamma=1 / 4, n_components=64),
        "cosines without the root of 2": without_root,
    }
    for name, features in claims.items():
        try:
            assert_unbiased(features, rows, spec)
            print(f"{name}: no fault found")
        except AssertionError as error:
            print(f"{name}: refuted, {str(error).split(': ', 1)[1].split(' at entry')[0]}")


if __name__ == "__main__":
    main()
