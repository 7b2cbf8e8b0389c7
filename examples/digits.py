"""Handwritten digits with a convolutional skeleton: python examples/digits.py"""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.svm import SVC

import kernelspec as ks


def main() -> None:
    """Compare two skeletons with inner products on 200 digits, by the exact kernels."""
    images, labels = load_digits(return_X_y=True)
    angles = np.pi * images / 16
    order = np.random.default_rng(0).permutation(len(images))
    train, test = order[:200], order[200:]
    windows = ks.load(Path(__file__).parent / "specs" / "digits.kernel")
    pixels = ks.parse("full(relu, input=image(8, 8, 1, base=circle()))")
    for name, spec in (("windows of 3 × 3", windows), ("pixels", pixels), ("inner products", ks.parse("linear()"))):
        model = SVC(kernel="precomputed", C=1000).fit(spec.gram(angles[train]), labels[train])
        accuracy = model.score(spec.gram(angles[test], angles[train]), labels[test])
        print(f"{name}: {100 * accuracy:.1f} % of {len(test)} digits")


if __name__ == "__main__":
    main()
