"""Many cases, one after the other: `python -m tests.front_door RESULTS --specs 2000`.

RESULTS gets a line of JSON for every case as it ends; started again, the run goes on with the cases that are missing.
`--case JSON` judges one case and says what was found. `--processes 2` uses two of them. At the end there are counts by
kind, the failures with the command that repeats each, the largest |z|, a test of the p-values against uniform ones, and
the time.
"""

from __future__ import annotations

import json
import os
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

for _library in ("OPENBLAS", "OMP", "MKL"):  # threads for matrices as small as these wait for each other
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

from kernelspec.testing.laboratory import Ledger  # noqa: E402
from tests.front_door.cases import Case  # noqa: E402
from tests.front_door.engine import SHARES, judge, judged  # noqa: E402
from tests.front_door.summary import summary  # noqa: E402

_PROGRESS = 20


def run(results: Path, numbers: Sequence[int], processes: int) -> None:
    """Judge what is missing of these cases."""
    found = read(results)
    results.write_text("".join(json.dumps(own) + "\n" for own in found))
    done = {own["number"] for own in found}
    missing = [number for number in numbers if number not in done]
    began = time.perf_counter()
    with results.open("a") as file:
        for count, own in enumerate(_all(partial(judged, shares=len(numbers)), missing, processes), 1):
            print(json.dumps(own), file=file, flush=True)
            for fault in own["faults"]:
                print(
                    f"case {own['number']}: {fault['kind']}: {fault['words']}: {own['case']['text']!r}", file=sys.stderr
                )
            if count % _PROGRESS == 0 or count == len(missing):
                seconds = time.perf_counter() - began
                left = seconds / count * (len(missing) - count)
                print(f"{count} of {len(missing)} in {seconds:.0f} s, about {left:.0f} s left", file=sys.stderr)


def _all(work: Any, numbers: Sequence[int], processes: int) -> Iterator[dict[str, Any]]:
    if processes == 1:
        yield from map(work, numbers)
        return
    with get_context("spawn").Pool(processes) as pool:
        yield from pool.imap_unordered(work, numbers)


def read(results: Path) -> list[dict[str, Any]]:
    """What was found so far; a line that an interruption left unfinished is judged again."""
    found = []
    for line in results.read_text().splitlines() if results.exists() else []:
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return found


if __name__ == "__main__":
    parser = ArgumentParser(prog="python -m tests.front_door")
    parser.add_argument("results", type=Path, nargs="?")
    parser.add_argument("--specs", type=int, default=0, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="Number of the first case.")
    parser.add_argument("--processes", type=int, default=1, metavar="N")
    parser.add_argument("--case", type=json.loads, metavar="JSON", help="Judge one case, and say what was found.")
    asked = parser.parse_args()
    if asked.case is not None:
        case = Case(**{**asked.case, "names": tuple(asked.case["names"])})
        with Ledger(shares=SHARES).open():
            print(json.dumps(asdict(judge(case)), indent=1))
    elif asked.results is None:
        parser.error("say where the RESULTS go, or which --case")
    else:
        run(asked.results, range(asked.first, asked.first + asked.specs), asked.processes)
        print(summary(read(asked.results)))
