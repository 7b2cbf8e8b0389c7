"""The long profile: cases of a seed in processes of their own, since a crash is one of the things looked for.

`python -m tests.fuzzing.long_run RESULTS N ROUNDS TARGET…` divides N cases among all targets, in as many rounds, and
adds a line to RESULTS for each piece of a round as it ends; with TARGETs it runs these alone. Started again, it goes on
with what is missing. Each round has a seed, from 0 on, or from that of `--first-seed`, for other cases and for Python's
hashes, on which the order of SymPy's steps depends. A case is made again by `case_of`: the seed and the number stand
with every failure. 30,000 texts are analysed, and 3,000 compiled, with

    python -m tests.fuzzing.long_run RESULTS 1500000 60 "specs: analysed"
    python -m tests.fuzzing.long_run RESULTS 150000 60 "specs: compiled"
"""

from __future__ import annotations

import json
import mmap
import os
import resource
import signal
import time
import warnings
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fuzzing.campaign import case_of
from tests.fuzzing.targets import TARGETS

__all__ = ["Piece", "pieces", "rounds", "summary"]

_HANGS_AFTER = 30.0
"""Seconds of the processor: what does not end by itself is ended."""

_MOST_BYTES = 6 * 2**30
"""Of addresses: a bomb ends in a MemoryError, not in the end of other processes of the machine."""


@dataclass(frozen=True)
class Piece:
    """Cases `first` up to `last` of a target and a seed; `slowest` and `seconds` of the processor, `peak` in MB."""

    target: str
    seed: int
    first: int
    last: int
    failures: list[str]
    seconds: float
    slowest: float
    peak: float


def pieces(target: str, seed: int, first: int, last: int) -> Iterator[Piece]:
    """The results of all cases; after a crash or a hang the rest is run in a new process."""
    context = get_context("spawn")
    os.environ["PYTHONHASHSEED"] = str(seed)  # of the processes that are started
    with TemporaryDirectory() as folder:
        at, found = Path(folder) / "at", Path(folder) / "found"
        while first < last:
            at.write_bytes(first.to_bytes(8))
            found.write_text("")
            process = context.Process(target=_work, args=(str(at), str(found), target, seed, first, last))
            process.start()
            process.join()
            lines = found.read_text().splitlines()
            if process.exitcode == 0:
                yield Piece(**json.loads(lines[-1]))
                return
            reached = int.from_bytes(at.read_bytes()) + 1
            said = f"{seed} {reached - 1}: ended with status {process.exitcode}"
            yield Piece(target, seed, first, reached, [*lines, said], 0.0, 0.0, 0.0)
            first = reached


def _work(at: str, found: str, name: str, seed: int, first: int, last: int) -> None:
    """Check the cases of a piece; where a crash would be is in the file `at`, what failed in `found`."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = _MOST_BYTES if hard == resource.RLIM_INFINITY else min(hard, _MOST_BYTES)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    warnings.simplefilter("error")
    target, failures, slowest, began = TARGETS[name], [], 0.0, time.process_time()
    with (
        TemporaryDirectory() as folder,
        Path(at).open("r+b") as file,
        mmap.mmap(file.fileno(), 8) as place,
        Path(found).open("a") as told,
    ):
        for number in range(first, last):
            place[:] = number.to_bytes(8)
            signal.setitimer(signal.ITIMER_PROF, _HANGS_AFTER)
            case = case_of(target, name, seed, number)
            start = time.process_time()
            try:
                target.check(case, Path(folder))
            except BaseException as error:
                failures.append(f"{seed} {number}: {type(error).__name__}: {error}: {case!r}"[:2000])
                print(failures[-1].replace("\n", "\\n"), file=told, flush=True)
            slowest = max(slowest, time.process_time() - start)
        signal.setitimer(signal.ITIMER_PROF, 0)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        own = Piece(name, seed, first, last, failures, time.process_time() - began, slowest, peak)
        print(json.dumps(asdict(own)), file=told)


def rounds(results: Path, cases: int, seeds: range, names: list[str]) -> None:
    """Add to `results` what is missing of so many cases of these targets, or of all, a part of them for each seed."""
    done = {(own["target"], own["seed"]) for own in map(json.loads, _lines(results))}
    for seed in seeds:
        for name in names or TARGETS:
            if (name, seed) not in done:
                found = [
                    asdict(own) for own in pieces(name, seed, 0, cases * TARGETS[name].share // 1000 // len(seeds))
                ]
                with results.open("a") as file:
                    file.writelines(json.dumps(own) + "\n" for own in found)


def _lines(results: Path) -> list[str]:
    return results.read_text().splitlines() if results.exists() else []


def summary(results: Path) -> str:
    """A table of what was found so far."""
    pieces = [Piece(**own) for own in map(json.loads, _lines(results))]
    cases, failed, seconds = Counter[str](), Counter[str](), Counter[str]()
    for own in pieces:
        cases[own.target] += own.last - own.first
        failed[own.target] += len(own.failures)
        seconds[own.target] += own.seconds
    lines = ["| target | cases | failed | slowest, s | memory, MB | ms a case |", "|---|---|---|---|---|---|"]
    for name, n in cases.items():
        own = [one for one in pieces if one.target == name]
        most = f"{max(one.slowest for one in own):.1f} | {max(one.peak for one in own):.0f}"
        lines.append(f"| {name} | {n:,} | {failed[name]} | {most} | {1000 * seconds[name] / n:.2f} |")
    lines.append(f"| together | {cases.total():,} | {failed.total()} | | | |")
    return "\n".join([*lines, *(failure for own in pieces for failure in own.failures)])


if __name__ == "__main__":
    parser = ArgumentParser(prog="python -m tests.fuzzing.long_run")
    parser.add_argument("results", type=Path)
    parser.add_argument("cases", type=int, nargs="?", default=0)
    parser.add_argument("rounds", type=int, nargs="?", default=1)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--first-seed", type=int, default=0)
    asked = parser.parse_args()
    if asked.cases:
        os.nice(19)
        rounds(asked.results, asked.cases, range(asked.first_seed, asked.first_seed + asked.rounds), asked.targets)
    print(summary(asked.results))
