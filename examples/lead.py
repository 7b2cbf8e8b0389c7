"""An asymmetric kernel, for one series that leads another: python examples/lead.py [FIGURE]"""

import sys
from pathlib import Path

import numpy as np

import kernelspec as ks


def main() -> None:
    """Print both orders of a pair, and draw the kernel and its features' estimate."""
    spec = ks.load(Path(__file__).parent / "refused" / "lead.kernel")
    verdict = ks.analyze(spec, dim=1).verdict
    print(f"positive definite: {verdict.positive_definite}, symmetric: {verdict.symmetric}")
    print(f"k(0, 1) = {spec([0.0], [1.0]):.3f}, k(1, 0) = {spec([1.0], [0.0]):.3f}")
    times = np.linspace(0, 6, 121)[:, None]
    features = ks.compile(spec, data=times, n_features=400, method="polar")
    exact = spec.gram(times)
    estimate = (features.left(times) * features.signs) @ features.right(times).T
    print(f"left and right features: largest error {np.abs(estimate - exact).max():.2f} of a kernel of size 1")
    peaks = times[estimate.argmax(axis=1), 0] - times[:, 0]
    print(f"the estimate is largest {np.median(peaks):.1f} later")
    if len(sys.argv) > 1:
        draw(times[:, 0], exact, estimate, sys.argv[1])


def draw(times: np.ndarray, exact: np.ndarray, estimate: np.ndarray, path: str) -> None:
    """Both matrices, with the diagonal."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.2), layout="constrained")
    for axes, matrix, title in zip(figure.subplots(1, 2), (exact, estimate), ("k(x, y)", "features"), strict=True):
        axes.imshow(matrix, origin="lower", extent=(0, 6, 0, 6), vmin=-0.2, vmax=1, cmap="viridis")
        axes.plot(times, times, color="white", linewidth=0.8, linestyle="--")
        axes.set(title=title, xlabel="y", ylabel="x")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
