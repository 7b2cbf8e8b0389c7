"""Functions of columns, such as places on the globe and hours on a circle: python examples/places.py"""

from pathlib import Path

import numpy as np
import pandas as pd

import kernelspec as ks


def main() -> None:
    """Compare the kernel matrix with NumPy, print the error of features, and show the message for a bad row."""
    spec = ks.load(Path(__file__).parent / "specs" / "places.kernel")
    generator = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "lat": generator.uniform(-60, 70, 200),
            "lon": generator.uniform(-180, 180, 200),
            "hour": generator.uniform(0, 24, 200),
            "income": generator.lognormal(10, 1, 200),
        }
    )
    lat, lon, angle = np.radians(table["lat"]), np.radians(table["lon"]), table["hour"] * np.pi / 12
    globe = 6371 * np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
    clock = np.column_stack([np.cos(angle), np.sin(angle)])
    chord, turn = (np.linalg.norm(rows[:, None] - rows, axis=2) for rows in (globe, clock))
    x = np.sqrt(3) * chord / 2000
    ratio = np.subtract.outer(np.log(table["income"].to_numpy()), np.log(table["income"].to_numpy()))
    formula = (1 + x) * np.exp(-x) * np.exp(-(turn**2) / 2) + np.exp(-(ratio**2) / 2)
    print(f"the matrix equals NumPy's: {np.allclose(spec.gram(table), formula, rtol=0, atol=1e-12)}")
    features = ks.KernelFeatures(spec, n_features=1024, random_state=0).fit(table)
    error = np.linalg.norm(features.transform(table) @ features.transform(table).T - formula) / np.linalg.norm(formula)
    print(f"relative error of 1024 features: {error:.2f}, predicted {features.feature_map_.predicted_error(table):.2f}")
    table.loc[7, "lat"] = 95.0
    try:
        features.transform(table)
    except ks.DataError as error:
        print(error)


if __name__ == "__main__":
    main()
