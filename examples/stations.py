"""Space and time, graded categories, weeks, pairs of columns and noise: python examples/stations.py"""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

import kernelspec as ks


def main() -> None:
    """Compare the kernel matrix with NumPy, and the features with the matrix."""
    spec = ks.load(Path(__file__).parent / "specs" / "stations.kernel")
    generator = np.random.default_rng(0)
    table = pd.DataFrame(generator.uniform(0, 100, (120, 2)), columns=["east", "north"])
    table["day"] = generator.uniform(0, 30, 120)
    table["traffic"] = generator.choice(["low", "mid", "high"], 120)
    table[["wind", "heat", "rain"]] = generator.normal(size=(120, 3))

    lag = {name: np.subtract.outer(*[table[name].to_numpy()] * 2) for name in table if name != "traffic"}
    apart, time, day = np.hypot(lag["east"], lag["north"]), np.abs(lag["day"]), table["day"].to_numpy()
    rise = 1 + time / 5
    moved = np.sqrt(3) * apart / 40 / np.sqrt(rise)
    grade = table["traffic"].map({"low": 0, "mid": 1, "high": 2}).to_numpy()
    omega = 2 * np.pi / 7
    damping, wave = omega / 8, omega * np.sqrt(1 - 1 / 64)
    weeks = np.exp(-damping * time) * (np.cos(wave * time) + damping / wave * np.sin(wave * time))
    bells = [np.exp(-(lag[name] ** 2) / 2) for name in ("wind", "heat", "rain")]
    length = 1 + day / 10
    square = np.add.outer(length**2, length**2)
    near = np.minimum(apart / 60, 1)
    formula = (
        (1 + moved) * np.exp(-moved) / rise
        + (1 - 1.5 * near + 0.5 * near**3) / 2
        + np.maximum(0, 1 - np.abs(np.subtract.outer(grade, grade)) / 2)
        + 0.3 * weeks
        + sum(a * b for a, b in combinations(bells, 2)) / 3
        + np.sqrt(2 * np.outer(length, length) / square) * np.exp(-(time**2) / square)
        + np.minimum.outer(day, day) / 365
    )
    matrix = spec.gram(table)
    is_equal = np.allclose(matrix, formula + 0.1 * np.eye(len(table)), rtol=0, atol=1e-12)
    print(f"the matrix equals NumPy's: {is_equal}")
    fitted = ks.KernelFeatures(spec, n_features=1024, random_state=0).fit(table)
    features = fitted.transform(table)
    error = np.linalg.norm(features @ features.T - formula) / np.linalg.norm(formula)
    print(f"relative error of 1,024 features: {error:.2g}; noise {fitted.feature_map_.noise}")


if __name__ == "__main__":
    main()
