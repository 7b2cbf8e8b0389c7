"""An additive function, learned with an average of kernels: python examples/averages.py"""

from pathlib import Path

import numpy as np
from sklearn.kernel_ridge import KernelRidge

import kernelspec as ks


def main() -> None:
    """Compare the average over eight columns with the product over them on 300 rows."""
    average = ks.load(Path(__file__).parent / "specs" / "averages.kernel")
    rng = np.random.default_rng(0)
    rows = rng.uniform(-2, 2, (1300, 8))
    target = np.sin(2 * rows).sum(axis=1) + 0.1 * rng.standard_normal(len(rows))
    train, test = slice(0, 300), slice(300, None)
    for name, spec in (("average", average), ("product", ks.parse("gaussian()"))):
        model = KernelRidge(alpha=0.01, kernel="precomputed").fit(spec.gram(rows[train]), target[train])
        rest = target[test] - model.predict(spec.gram(rows[test], rows[train]))
        print(f"{name}: {100 * (1 - rest.var() / target[test].var()):.0f} % of the variance explained")


if __name__ == "__main__":
    main()
