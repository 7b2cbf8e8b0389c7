"""Ore between boreholes, in veins of one direction: python examples/ore.py [FIGURE]"""

import sys
from pathlib import Path

import numpy as np

import kernelspec as ks


def kriged(spec: ks.Spec, holes: np.ndarray, found: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The best linear prediction at some places, with a little noise in every hole."""
    covariance = spec.gram(holes, columns=["east", "north"]) + 0.01 * np.eye(len(holes))
    return spec.gram(places, holes, columns=["east", "north"]) @ np.linalg.solve(covariance, found)


def main() -> None:
    """Draw a field, bore 120 holes, and compare the kernel of the veins with the best of five isotropic ones."""
    veins = ks.load(Path(__file__).parent / "specs" / "ore.kernel")
    rng = np.random.default_rng(3)
    side = np.linspace(0, 6, 40)
    places = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    covariance = veins.gram(places, columns=["east", "north"])
    field = np.linalg.cholesky(covariance + 1e-9 * np.eye(len(places))) @ rng.standard_normal(len(places))
    bored = rng.choice(len(places), 120, replace=False)
    maps = {"field": field, "along the veins": kriged(veins, places[bored], field[bored], places)}
    round_ones = [ks.parse(f"matern(3/2, scale={scale})[east, north]") for scale in (0.5, 1, 2, 4, 8)]
    tried = [kriged(spec, places[bored], field[bored], places) for spec in round_ones]
    maps["the best isotropic kernel"] = min(tried, key=lambda found: np.var(found - field))
    for name, found in list(maps.items())[1:]:
        print(f"{name}: {100 * np.var(found - field) / field.var():.0f} % of the variance left")
    if len(sys.argv) > 1:
        draw(maps, places[bored], sys.argv[1])


def draw(maps: dict[str, np.ndarray], holes: np.ndarray, path: str) -> None:
    """The field and both predictions, with the holes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3), layout="constrained")
    low, high = maps["field"].min(), maps["field"].max()
    for axes, (title, values) in zip(figure.subplots(1, 3), maps.items(), strict=True):
        axes.imshow(values.reshape(40, 40), origin="lower", extent=(0, 6, 0, 6), cmap="cividis", vmin=low, vmax=high)
        axes.plot(*holes.T, ".", color="white", markersize=1.5)
        axes.set(title=title, xticks=[], yticks=[])
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
