"""Species of penguins from kernel features and a linear classifier: python examples/classify.py"""

from pathlib import Path

import pyarrow.csv
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import kernelspec as ks


def main() -> None:
    """Print the accuracy over five folds for three widths of the kernel."""
    here = Path(__file__).parent
    table = pyarrow.csv.read_csv(here / "penguins.csv").to_pandas()
    for width in (0.5, 1, 2):
        features = ks.KernelFeatures(
            ks.load(here / "penguins.kernel"), params={"width": width}, n_features=256, random_state=0
        )
        model = make_pipeline(features, LogisticRegression(max_iter=1000))
        scores = cross_val_score(model, table, table["species"], cv=5)
        print(f"width {width}: accuracy {scores.mean():.2f}")


if __name__ == "__main__":
    main()
