"""A function of a column, categories, and a change in time: python examples/change.py"""

from pathlib import Path

import numpy as np
import pandas as pd

import kernelspec as ks


def main() -> None:
    """Compare the kernel matrix with NumPy, and the features with the matrix."""
    spec = ks.load(Path(__file__).parent / "specs" / "change.kernel")
    generator = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "stock": generator.lognormal(0, 1, 150),
            "shop": generator.choice(["north", "south"], 150),
            "plan": generator.choice(["a", "b", "c"], 150),
            "time": generator.uniform(2005, 2011, 150),
        }
    )
    trend = np.log1p(table["stock"].to_numpy())
    unequal = sum(np.not_equal.outer(own, own) / 2.0 for own in (table["shop"].to_numpy(), table["plan"].to_numpy()))
    time = table["time"].to_numpy()
    waves = np.sin(np.pi * np.subtract.outer(time, time)) ** 2
    late = 1 / (1 + np.exp(-(time - 2008) * 4))
    year = np.outer(1 - late, 1 - late) * np.exp(-2 * waves) + 2 * np.outer(late, late) * np.exp(-8 * waves)
    formula = np.outer(trend, trend) + np.exp(-2 * unequal) + year
    print(f"the matrix equals NumPy's: {np.allclose(spec.gram(table), formula, rtol=0, atol=1e-12)}")
    features = ks.KernelFeatures(spec, n_features=512, random_state=0).fit(table).transform(table)
    error = np.linalg.norm(features @ features.T - formula) / np.linalg.norm(formula)
    print(f"relative error of 512 features: {error:.0e}")


if __name__ == "__main__":
    main()
