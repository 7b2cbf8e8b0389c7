"""Two workers of Dask against one process: python benchmarks/cluster.py [ROWS] [ROUNDS] [--dtype float32] [--json FILE]

12 columns of Parquet in eight files, float64, to 64 features in as many files of Parquet. The start-up of the workers
is not counted, as a cluster runs already, started as `--engine dask` does. The process alone writes the files one after
the other, with all processors. Both write new files, as in a first run: what was there is removed beforehand.

Beside them, the disk alone: two threads that write as many bytes, of memory that is there, to as many files.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from provenance import made_by
from timing import interleaved_seconds, spread_of

import kernelspec as ks
from kernelspec.cli.cluster import ClusterRun, local_cluster
from kernelspec.cli.feature_run import FeatureRun, SavedMap
from kernelspec.numerics.threads import processors

RESULTS = Path(__file__).parent / "results"
ASKED, WORKERS, PARTS, COLUMNS, FEATURES = 1.6, 2, 8, 12, 64
PIECE = 2**22


def main() -> None:
    """Print the ratio and keep it as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", type=int, nargs="?", default=20_000_000)
    parser.add_argument("rounds", type=int, nargs="?", default=3)
    parser.add_argument("--dtype", choices=("float32", "float64"), default="float64", help="of the features")
    parser.add_argument("--json", type=Path, help="[default: cluster_DTYPE.json in results]")
    options = parser.parse_args()
    maker = SavedMap(ks.compile("gaussian(scale=3)", COLUMNS, FEATURES))
    with tempfile.TemporaryDirectory() as folder:
        parts = written(Path(folder), options.rows)
        out = Path(folder) / "out"
        out.mkdir()

        def alone() -> None:
            for part in parts:
                FeatureRun(part, str(out / Path(part).name), options.dtype, None, None, quiet=True).run(maker)

        size = options.rows // PARTS * FEATURES * np.dtype(options.dtype).itemsize
        noise = np.random.default_rng(1).bytes(PIECE)

        def disk_alone() -> None:
            with ThreadPoolExecutor(WORKERS) as threads:
                list(threads.map(lambda i: filled(out / f"noise-{i}", noise, size), range(PARTS)))

        def remove() -> None:
            for file in out.iterdir():
                file.unlink()
            os.sync()

        with local_cluster(WORKERS) as cluster:
            run = ClusterRun(parts, str(out), options.dtype, None, None, cluster.scheduler_address, quiet=True)
            work = {"alone": alone, "two workers": lambda: run.run(maker), "disk alone": disk_alone}
            seconds = interleaved_seconds(work, options.rounds, remove)
    spread = spread_of(seconds["alone"] / seconds["two workers"])
    of_disk = spread_of(seconds["disk alone"] / seconds["two workers"])
    figure = {
        "made by": made_by(),
        "rows": options.rows,
        "dtype": options.dtype,
        "processors": processors(),
        "load": round(os.getloadavg()[0], 1),
        "rounds": options.rounds,
        "seconds": {name: own.tolist() for name, own in seconds.items()},
        "times as fast": [spread.low, spread.median, spread.high],
        "asked": ASKED,
        "fraction of the disk's speed": [of_disk.low, of_disk.median, of_disk.high],
    }
    path = options.json or RESULTS / f"cluster_{options.dtype}.json"
    path.write_text(json.dumps(figure, indent=1) + "\n", encoding="utf-8")
    times = f"{spread.median:.2f} times as fast [{spread.low:.2f}, {spread.high:.2f}], {ASKED} asked"
    print(f"{options.rows:,} rows: {times}; {of_disk.median:.2f} of the disk's speed")


def written(folder: Path, rows: int) -> tuple[str, ...]:
    """The files of rows."""
    generator, found = np.random.default_rng(0), []
    for i in range(PARTS):
        columns = generator.standard_normal((COLUMNS, rows // PARTS))
        found.append(str(folder / f"part-{i}.parquet"))
        pq.write_table(pa.table({f"x{j}": column for j, column in enumerate(columns)}), found[-1])
    return tuple(found)


def filled(path: Path, noise: bytes, size: int) -> None:
    """A file of so many bytes, written as features are."""
    path.touch()
    with path.open("r+b") as file:
        for start in range(0, size, len(noise)):
            file.write(noise[: size - start])


if __name__ == "__main__":
    main()
