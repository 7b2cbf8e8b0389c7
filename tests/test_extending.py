"""What docs/extending.md shows can be done as it says: its files and lines in a copy of the package, with its tests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
STEP = re.compile(
    r"^\*\*`(?P<path>[^`]+)`\*\*(?:, before `(?P<before>[^`\n]+)`)?\n\n```py\n(?P<text>.*?)^```$", re.M | re.S
)

NAMES = ("hyperbolic_secant", "maxwell", "cube")
"""What the document adds to the language."""


class Step(NamedTuple):
    """A file of the document, or a line that is put before another one of a catalogue."""

    path: str
    before: str | None
    text: str


def steps() -> Iterator[Step]:
    return (Step(found["path"], found["before"], found["text"]) for found in STEP.finditer(DOCUMENT))


def extend(copy: Path) -> None:
    """The steps of the document, to the letter."""
    for path, before, text in steps():
        target = copy / path
        if before is None:
            assert not target.exists(), f"{path} is there already"
            target.write_text(text, encoding="utf-8")
            continue
        lines = target.read_text(encoding="utf-8").splitlines(keepends=True)
        places = [i for i, line in enumerate(lines) if line.lstrip().startswith(before)]
        assert len(places) == 1, f"{path} has {len(places)} lines that begin with {before}"
        target.write_text("".join([*lines[: places[0]], text, *lines[places[0] :]]), encoding="utf-8")


OF_THEIR_OWN = [step.path for step in steps() if step.path.startswith("tests/")]
CATALOGUES = [
    "tests/kernels/test_leaf.py",
    "tests/distributions/test_distribution.py",
    "tests/activations/test_activation.py",
]
STRATEGIES = ["tests/strategies/test_strategies.py"]
BORDERS = ["tests/test_borders.py", "tests/analysis/test_statements.py"]


def copy_compiled_loops(copy: Path) -> None:
    """Where they are kept elsewhere they would be sought under the name of the copy: then they go beside its sources.

    To compile them anew takes most of a minute.
    """
    from kernelspec.numerics.phasor_kernels import project_block

    kept = Path(project_block.stats.cache_path)
    beside = copy / "kernelspec" / "numerics" / "__pycache__"
    if kept.name != beside.name:
        shutil.copytree(kept, beside, dirs_exist_ok=True)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package and its tests, compiled loops included, with what the document adds."""
    folder = tmp_path_factory.mktemp("extended")
    for name in ("kernelspec", "grammars"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=shutil.ignore_patterns("__pycache__", "*.npz", "data"))
    shutil.copy2(ROOT / "pyproject.toml", folder)
    copy_compiled_loops(folder)
    extend(folder)
    return folder


def run(copy: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    # bytecode and compiled loops of the copy go with it
    for name in ("PYTEST_XDIST_WORKER", "PYTHONPYCACHEPREFIX", "NUMBA_CACHE_DIR"):
        environment.pop(name, None)
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
    return done.stdout


def test_every_thing_is_one_file_one_line_and_one_test_file() -> None:
    found = list(steps())
    assert len(found) == DOCUMENT.count("```py\n")
    for file, line, test in zip(found[::3], found[1::3], found[2::3], strict=True):
        assert (file.before, test.before) == (None, None)
        assert file.path.startswith("kernelspec/")
        assert line.path.startswith("kernelspec/")
        assert line.before
        assert line.text.count("\n") == 1
        assert test.path.startswith("tests/")


@pytest.mark.long
def test_what_was_added_is_known_and_right(copy: Path) -> None:
    """Its own tests, the catalogues, strategies and borders, and random specs with it, in one run."""
    families = "tests/test_every_family.py"
    files = [*OF_THEIR_OWN, *CATALOGUES, *STRATEGIES, *BORDERS, families]
    chosen = f"not (few_enough or may_come_comes) and (not test_every_family or {' or '.join(NAMES)})"
    said = run(copy, "pytest", "-q", "-rA", "-p", "no:cacheprovider", *files, "-k", chosen)
    passed = re.findall(r"^PASSED (tests/\S+::.*)$", said, re.M)
    for file in files:
        assert any(name.startswith(f"{file}::") for name in passed), file
    assert all(any(name.startswith(families) and added in name for name in passed) for added in NAMES)
    listed = run(copy, "kernelspec.cli", "catalogue")
    assert all(f" {name}" in listed for name in NAMES)
