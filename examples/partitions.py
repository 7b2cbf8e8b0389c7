"""Parts of a table on several machines, with nothing shared but a file: python examples/partitions.py"""

import tempfile
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path

import numpy as np

import kernelspec as ks


def features_of(part: np.ndarray, map_file: str) -> np.ndarray:
    """What a worker does: load the map, transform its rows."""
    return ks.load_map(map_file).transform(part).toarray()


def main() -> None:
    """Four parts in two processes give the bits of the whole."""
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.standard_normal((1000, 2)), rng.integers(0, 5, 1000)])
    spec = ks.load(Path(__file__).parent / "specs" / "partitions.kernel")
    features = ks.compile(spec, data=rows, n_features=32, method="binning", buckets=64)
    with tempfile.TemporaryDirectory() as folder:
        map_file = str(Path(folder) / "map.npz")
        features.save(map_file)
        with ProcessPoolExecutor(2) as workers:
            parts = list(workers.map(features_of, np.array_split(rows, 4), repeat(map_file)))
    whole = features.transform(rows).toarray()
    print(f"{len(parts)} parts, {whole.shape[1]} columns, the same bits: {np.array_equal(np.vstack(parts), whole)}")


if __name__ == "__main__":
    main()
