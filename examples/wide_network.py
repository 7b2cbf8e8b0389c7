"""The kernel of a network of infinite width, compared with finite networks: python examples/wide_network.py"""

from pathlib import Path

import numpy as np

import kernelspec as ks


def output_products(rows: np.ndarray, width: int, rng: np.random.Generator) -> np.ndarray:
    """Inner products of the second hidden layer of a random network, whose units have mean square 1."""
    layer = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    for _ in range(2):
        weights = rng.standard_normal((layer.shape[1], width))
        layer = np.sqrt(2 / width) * np.maximum(layer @ weights, 0)
    return layer @ layer.T


def main() -> None:
    """Print the distance of networks of growing width from the kernel, and two of its values."""
    spec = ks.load(Path(__file__).parent / "specs" / "wide_network.kernel")
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((50, 10))
    exact = spec.gram(rows)
    for width in (64, 256, 1024):
        networks = np.mean([np.square(output_products(rows, width, rng) - exact).mean() for _ in range(20)])
        print(f"{width} units: root mean square error of the kernel {np.sqrt(networks):.3f}")
    k = spec.gram(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]))[0]
    print("at right angles {:.3f}, opposite {:.3f}".format(*k[1:]))


if __name__ == "__main__":
    main()
