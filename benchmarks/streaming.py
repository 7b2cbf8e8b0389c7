"""Features of two million rows in bounded memory: python benchmarks/streaming.py [FOLDER]

Writes a table of 2,000,000 x 54 float32 numbers to FOLDER (the temporary folder if not given), runs
`kernelspec features` on it to 512 float32 features, and reports rows per second and the process's peak memory as the
operating system accounts it. Needs 5 GB of disk, which are given back.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from provenance import made_by

ROWS, COLUMNS, FEATURES, LIMIT = 2_000_000, 54, 512, 500


def main() -> None:
    """Print the figures; exit with 1 if the peak exceeds 500 MB or the output is not whole."""
    print(made_by(), end="\n\n")
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        data, out = Path(folder, "data.npy"), Path(folder, "features.npy")
        generator = np.random.default_rng(0)
        with data.open("wb") as file:  # no memory map: its pages would be counted to the child that is forked off
            header = {"descr": "<f4", "fortran_order": False, "shape": (ROWS, COLUMNS)}
            np.lib.format.write_array_header_1_0(file, header)
            for _ in range(0, ROWS, 100_000):
                generator.standard_normal((100_000, COLUMNS), dtype=np.float32).tofile(file)
        command = [sys.executable, "-m", "kernelspec", "features", "-e", "gaussian(scale=7)", str(data)]
        start_time = time.perf_counter()
        subprocess.run([*command, "-o", str(out), "--n-features", str(FEATURES)], check=True)
        seconds = time.perf_counter() - start_time
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        features = np.load(out, mmap_mode="r")
        print(
            f"{ROWS:,} x {COLUMNS} -> {features.shape} {features.dtype}: {seconds:.1f} s, {ROWS / seconds:,.0f} rows/s"
        )
        print(f"peak memory {peak:.0f} MB, limit {LIMIT} MB")
        sys.exit(0 if peak <= LIMIT and features.shape == (ROWS, FEATURES) else 1)


if __name__ == "__main__":
    main()
