"""Every code block of README and docs runs, and prints what the document says it prints."""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from contextvars import Context
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kernelspec.catalogue import ACTIVATIONS, DISTRIBUTIONS, KERNELS
from kernelspec.cli import main

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LONG = {"gallery.md", "engines.md", "audit.md"}
"""Whose commands take seconds: sixteen scripts, clusters of processes, other libraries."""

LONG_PYTHON = {
    f"{name}.md" for name in ("features", "polya", "engines", "testing", "explain", "minmax", "models", "language")
}
LONG_PYTHON |= {"closed_products.md"}
"""Whose blocks of Python take more than a second."""

RESULTS = ROOT / "benchmarks" / "results"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
KINDS = {"python", "text", "console", "sh", "kernel", "py"}
"""`py` are files, which are tested where they stand in a copy of the package: see test_extending.py."""


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the examples in it, so that documents can read and write beside them."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def blocks(document: Path) -> list[tuple[str, str]]:
    return [(kind, body) for kind, body in BLOCK.findall(document.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_blocks_are_of_known_kinds(document: Path) -> None:
    assert {kind for kind, _ in blocks(document)} <= KINDS


@pytest.mark.slow
@pytest.mark.parametrize(
    "document",
    [pytest.param(path, marks=[pytest.mark.long] if path.name in LONG_PYTHON else []) for path in DOCUMENTS],
    ids=lambda path: path.name,
)
def test_python_blocks_print_what_they_say(document: Path, workplace: Path) -> None:
    names: dict[str, Any] = {"__name__": "document"}
    found = blocks(document)
    for i, (kind, body) in enumerate(found):
        if kind != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            as_alone(exec, compile(body, f"{document.name}, block {i}", "exec"), names)
        if i + 1 < len(found) and found[i + 1][0] == "text":
            assert printed.getvalue().rstrip() == found[i + 1][1].rstrip()
        else:
            assert printed.getvalue() == "", f"block {i} prints, and the document does not say what"


def as_alone(run: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """As in a process of its own: without the ledger of this run, whose seed would move what assertions draw."""
    return Context().run(run, *arguments, **named)


def in_a_shell(command: str, folder: Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """The line in a shell, given `text` to read; `kernelspec` and `python` are processes of their own."""
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "120",
    }
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, input=text, capture_output=True, text=True, check=False
    )


def in_this_process(program: str, arguments: list[str], merged: bool) -> str:
    """What `kernelspec …` or `python FILE` prints, `merged` with its errors, without importing everything again."""
    if program == "kernelspec":
        result = CliRunner().invoke(main, arguments, prog_name=program, env={"COLUMNS": "120"}, catch_exceptions=False)
        return result.output if merged else result.stdout
    (script,) = arguments
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(script, run_name="__main__")
    return printed.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize(
    "document",
    [pytest.param(path, marks=[pytest.mark.long] if path.name in LONG else []) for path in DOCUMENTS],
    ids=lambda path: path.name,
)
def test_console_blocks_print_what_they_say(document: Path, workplace: Path) -> None:
    """In a shell: the lines of the README, the first script of a document, and what is not one command and a pipe."""
    alone = set() if document.name == "README.md" else {"kernelspec"}
    for kind, body in blocks(document):
        if kind != "console":
            continue
        for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", body, re.MULTILINE):
            simple = re.fullmatch(r"((kernelspec|python) (?!-)[^|;<>&$`]*?)( 2>&1)?(?: \| (.*))?", command)
            errors = ""
            if simple and simple[2] in alone:
                arguments = shlex.split(simple[1])[1:]
                found = as_alone(in_this_process, simple[2], arguments, merged=simple[3] is not None)
                found = in_a_shell(simple[4], workplace, found).stdout if simple[4] else found
            else:
                done = in_a_shell(command, workplace)
                found, errors = done.stdout, done.stderr
            if document.name != "README.md":
                alone.add("python")
            printed = "\n".join(line.rstrip() for line in found.splitlines())  # tables pad their cells
            assert printed.rstrip() == expected.rstrip(), f"{command}\n{found}\n{errors}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_other_text_is_quoted_from_stored_results(document: Path) -> None:
    """What takes other packages, or a time of its own, stands word for word in a file of benchmarks/results."""
    found = blocks(document)
    stored = [path.read_text(encoding="utf-8") for path in RESULTS.glob("*.txt")]
    for i, (kind, body) in enumerate(found):
        if kind == "text" and (i == 0 or found[i - 1][0] != "python"):
            assert any(body in text for text in stored), f"block {i}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_kernel_blocks_parse_and_are_formatted(document: Path) -> None:
    import kernelspec as ks

    for kind, body in blocks(document):
        if kind == "kernel":
            assert ks.format_text(body) == body


def test_the_two_commands_are_where_ci_looks_for_them() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for mark in ("<!-- the job -->", "<!-- the tests -->"):
        assert re.search(rf"^{mark}\n```sh\n.+\n```$", text, re.MULTILINE), mark


def test_links_between_documents_lead_somewhere() -> None:
    for document in [*DOCUMENTS, ROOT / "CONTRIBUTING.md", ROOT / "examples" / "README.md"]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def _missing(names: Iterable[str], *documents: str) -> list[str]:
    text = "".join((ROOT / name).read_text(encoding="utf-8") for name in documents)
    return [name for name in names if not re.search(rf"\b{name}\b", text)]


@pytest.mark.parametrize(
    ("names", "documents"),
    [
        (KERNELS, ["docs/language.md"]),
        (KERNELS, ["README.md"]),
        (DISTRIBUTIONS, ["docs/language.md", "docs/polya.md"]),
        (ACTIVATIONS, ["docs/compositional.md"]),
    ],
    ids=["kernels", "kernels in the README", "distributions", "activations"],
)
def test_documents_tell_every_name_of_the_catalogues(names: Mapping[str, str], documents: list[str]) -> None:
    missing = _missing(names, *documents)
    assert not missing, f"add {', '.join(missing)} to {' or '.join(documents)}, with arguments and formula"
