"""Scaling out with Dask: python examples/partitions.py"""

from pathlib import Path

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import kernelspec as ks


def main() -> None:
    """Four partitions in two processes give the bits of the whole table."""
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.standard_normal((1000, 2)), rng.integers(0, 5, 1000)])
    spec = ks.load(Path(__file__).parent / "specs" / "partitions.kernel")
    features = ks.compile(spec, data=rows, n_features=32, method="binning", buckets=64)
    lazy = features.transform(da.from_array(rows, chunks=(250, 3)))
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster):
        found = lazy.compute()
    same = (found != features.transform(rows)).nnz == 0
    print(f"{lazy.numblocks[0]} parts, {lazy.shape[1]} columns, the same bits: {same}")


if __name__ == "__main__":
    main()
