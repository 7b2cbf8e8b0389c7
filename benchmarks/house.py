"""The size and structure of the package: lines, files, imports, circles of imports, and what one command enters.

    python benchmarks/house.py [PACKAGE]

PACKAGE is the folder to measure (default: `kernelspec` beside this folder), so that a checkout of another commit can
be measured by the same script. Counted are all lines of `*.py` files. A line belongs to the imports if a top-level or
nested import statement, `if TYPE_CHECKING:` or `__all__` covers it. An import in a function or for types counts as an
arrow; a circle is a strongly connected component of files. Modules are those of `sys.modules` that begin with the
package's name, packages included. The journey of `features` on the penguins counts every file whose function is
entered, and how often control passes from one room (top-level folder) to another.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

COLD = {
    "compile one Gaussian": "import kernelspec as ks; ks.compile('gaussian(scale=2)', dim=3)",
    "check": "from kernelspec.cli import main; main(['check', '-e', '0.7*gaussian() + 0.3*laplace()'])",
    "features": "import tempfile; from kernelspec.cli import main; folder = tempfile.TemporaryDirectory(); "
    "main(['features', 'examples/penguins.kernel', 'examples/penguins.csv', '-o', folder.name + '/z.npz'])",
}

MEASURED = """
import json, resource, sys
try:
    {statement}
except SystemExit as ended:
    assert not ended.code
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([sum(name.split(".")[0] == "kernelspec" for name in sys.modules), used.ru_utime + used.ru_stime]))
"""

JOURNEY = """
import json, pathlib, sys, tempfile
package = pathlib.Path(sys.argv[1])
from kernelspec.cli import main
def run():
    with tempfile.TemporaryDirectory() as folder:
        main(["features", "examples/penguins.kernel", "examples/penguins.csv", "-o", folder + "/z.npz"],
             standalone_mode=False)
run()  # compiled loops are loaded
files, rooms, last, changes, calls = set(), set(), None, 0, 0
def trace(frame, event, _):
    global last, changes, calls
    if event == "call" and frame.f_code.co_filename.startswith(str(package)):
        path = pathlib.Path(frame.f_code.co_filename).relative_to(package)
        calls += 1
        files.add(str(path))
        rooms.add(path.parts[0])
        changes += last not in (None, path.parts[0])
        last = path.parts[0]
sys.setprofile(trace)
run()
sys.setprofile(None)
print(json.dumps([calls, len(files), len(rooms), changes]))
"""


def import_lines(tree: ast.Module) -> set[int]:
    """The numbers of the lines of imports and of `__all__`."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        header = isinstance(node, ast.Import | ast.ImportFrom)
        header |= isinstance(node, ast.Assign) and any(ast.unparse(target) == "__all__" for target in node.targets)
        header |= isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        if header:
            lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return lines


def arrows(package: Path) -> dict[Path, set[Path]]:
    """Every file of the package with those it imports from, in a function or for types too."""
    files = sorted(package.rglob("*.py"))
    by_module = {
        ".".join(file.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__"): file
        for file in files
    }
    reached: dict[Path, set[Path]] = {}
    for file in files:
        reached[file] = set()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                inner = {f"{node.module}.{alias.name}" for alias in node.names} & set(by_module)
                reached[file] |= {by_module[name] for name in inner or {node.module} & set(by_module)}
        reached[file] = {there for there in reached[file] - {file} if there.name != "__init__.py"}
    return reached


def circles(reached: dict[Path, set[Path]]) -> Iterator[list[Path]]:
    """The strongly connected components of more than one file [Tarjan 1972]."""
    number: dict[Path, int] = {}
    lowest: dict[Path, int] = {}
    open_files: list[Path] = []

    def visit(file: Path) -> Iterator[list[Path]]:
        number[file] = lowest[file] = len(number)
        open_files.append(file)
        for there in sorted(reached[file]):
            if there not in number:
                yield from visit(there)
            if there in open_files:
                lowest[file] = min(lowest[file], lowest[there])
        if lowest[file] == number[file]:
            circle = open_files[open_files.index(file) :]
            del open_files[-len(circle) :]
            if len(circle) > 1:
                yield circle

    sys.setrecursionlimit(10_000)
    for file in reached:
        if file not in number:
            yield from visit(file)


def python(package: Path, script: str, *arguments: str) -> list[float]:
    """What a script prints as JSON, in a process of its own that imports this package."""
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, cwd=package.parent, env=environment, capture_output=True, text=True, check=True)
    found: list[float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Print one line per figure."""
    parser = argparse.ArgumentParser(description="The size and structure of the package.")
    parser.add_argument("package", nargs="?", type=Path, default=ROOT / "kernelspec")
    parser.add_argument("--runs", type=int, default=7, help="cold starts of each kind")
    given = parser.parse_args()
    package: Path = given.package.resolve()
    texts = {file: file.read_text(encoding="utf-8") for file in sorted(package.rglob("*.py"))}
    sizes = sorted(text.count("\n") for text in texts.values())
    total = sum(sizes)
    headers = sum(len(import_lines(ast.parse(text))) for text in texts.values())
    print(f"lines                      {total:,}")
    print(f"files                      {len(sizes)} (median {statistics.median(sizes):g} lines, largest {sizes[-1]})")
    print(f"imports and __all__        {100 * headers / total:.1f} % of the lines")
    found = sorted(circles(arrows(package)), key=len, reverse=True)
    print(f"circles of imports         {len(found)}, of files: {', '.join(str(len(circle)) for circle in found)}")
    for name, statement in COLD.items():
        runs = [python(package, MEASURED.format(statement=statement)) for _ in range(given.runs)]
        times = sorted(time for _, time in runs)
        spread = f"[{times[0]:.2f}, {times[-1]:.2f}]"
        print(f"cold {name:21} {runs[0][0]} modules of ours, {statistics.median(times):.2f} s of CPU time {spread}")
    calls, files, rooms, changes = python(package, JOURNEY, str(package))
    print(f"features, the penguins     {calls:,} calls in {files} files of {rooms} rooms; {changes:,} changes of room")


if __name__ == "__main__":
    main()
