"""A table as people have it: dates, missing numbers, blanks in names, ids, text and a target. Run, it writes it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

__all__ = ["SPEC", "messy_table", "written"]

SPEC = """\
param season = 365.25
let person = gaussian()[standardize(fill(age)), standardize(log("monthly income"))]*match()[is_missing(age)]
let visit = matern(nu=3/2)[cycle(days("visited on"), season), rank("monthly income")]
let home = match()["home town"]*exponential(scale=3000)[unit_vector(lat, lon, radius=6371)]
0.5*person + 0.3*visit + 0.2*home
"""


def messy_table(n_rows: int = 400, seed: int = 0) -> pd.DataFrame:
    """The table, with its dates as dates."""
    generator = np.random.default_rng(seed)
    age = generator.integers(18, 90, n_rows).astype(float)
    visited = pd.Timestamp("2019-01-01") + pd.to_timedelta(generator.integers(0, 60 * 24 * 900, n_rows), "min")
    towns = generator.choice(["Oslo", "São Paulo", "NA", "New York, NY", ""], n_rows)
    income = np.exp(generator.normal(7, 1, n_rows)).round(2)
    return pd.DataFrame(
        {
            "id": [f"{i:06d}" for i in generator.permutation(n_rows)],
            "visited on": visited,
            "age": np.where(generator.random(n_rows) < 0.15, np.nan, age),
            "monthly income": income,
            "home town": pd.Series(towns, dtype=object).where(towns != "", None),
            "lat": generator.uniform(-60, 70, n_rows).round(4),
            "lon": generator.uniform(-180, 180, n_rows).round(4),
            "spent": (np.log(income) + np.where(np.isin(towns, ["Oslo", ""]), 1.0, 0.0)).round(3),
        }
    )


def written(folder: Path, table: pd.DataFrame) -> Path:
    """The table as a CSV file, its dates as people in Europe write them."""
    path = folder / "messy.csv"
    table.assign(**{"visited on": table["visited on"].dt.strftime("%d.%m.%Y %H:%M")}).to_csv(path, index=False)
    return path


if __name__ == "__main__":
    print(written(Path(sys.argv[1]), messy_table()))
