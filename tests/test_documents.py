"""Every code block of README and docs runs, and prints what the document says it prints."""

from __future__ import annotations

import ast
import builtins
import contextlib
import importlib.util
import inspect
import io
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import Context
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import kernelspec as ks
from kernelspec.catalogue import ACTIVATIONS, DISTRIBUTIONS, KERNELS
from kernelspec.cli import main
from tests.cli.conftest import Run, run

__all__ = ["run"]

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


BIBLIOGRAPHY = ROOT / "docs" / "bibliography.md"
ENTRY = re.compile(r"^- \*\*(?P<names>[^*]+) (?P<year>\d{4})\*\*: ", re.MULTILINE)
CITED = re.compile(r"(?P<name>\b[^\W\d_a-z][\w'’-]+)(?P<others> et al\.)? (?P<year>(?:18|19|20)\d\d)\b(?!-)")
"""The last author before a year, or the first with `et al.`"""


@cache
def entries() -> tuple[tuple[tuple[str, ...], str], ...]:
    found = ENTRY.finditer(BIBLIOGRAPHY.read_text(encoding="utf-8"))
    return tuple((tuple(re.split(r", | and ", own["names"])), own["year"]) for own in found)


def cited() -> dict[tuple[str, bool, str], Path]:
    """Author, whether it is the first of several, and year of every citation, with a place."""
    documents = [ROOT / "README.md", *(path for path in (ROOT / "docs").glob("*.md") if path != BIBLIOGRAPHY)]
    found = {}
    for path in [*(ROOT / "kernelspec").rglob("*.py"), *documents]:
        text = re.sub(r"\s+(#\s+)?", " ", path.read_text(encoding="utf-8"))
        for own in CITED.finditer(text):
            found[own["name"], own["others"] is not None, own["year"]] = path
    return found


def entry_of(name: str, *, first: bool, year: str) -> tuple[tuple[str, ...], str] | None:
    place = 0 if first else -1
    return next((own for own in entries() if own[1] == year and own[0][place].split()[-1] == name), None)


def test_every_source_that_is_named_is_listed() -> None:
    assert len(entries()) > 50
    missing = [
        f"{path.relative_to(ROOT)}: {name}{' et al.' * first} {year} is not in docs/bibliography.md"
        for (name, first, year), path in cited().items()
        if entry_of(name, first=first, year=year) is None
    ]
    assert not missing, "\n".join(missing)


def test_every_entry_is_named_somewhere() -> None:
    used = {entry_of(name, first=first, year=year) for name, first, year in cited()}
    assert set(entries()) <= used, set(entries()) - used


def test_entries_are_in_order_and_their_numbers_well_formed() -> None:
    text = BIBLIOGRAPHY.read_text(encoding="utf-8")
    labels = [" ".join((*names, year)) for names, year in entries()]
    assert labels == sorted(labels, key=str.casefold)
    assert len(set(labels)) == len(labels)
    numbers = re.findall(r"\b(doi|arXiv):(\S+?)(?=,?\s|$)", text)
    assert len(numbers) > 30
    for kind, number in numbers:
        assert re.fullmatch(r"10\.\d{4,5}/\S+" if kind == "doi" else r"\d{4}\.\d{4,5}", number), number


EXAMPLES = ROOT / "examples"
SPECS = sorted(EXAMPLES.rglob("*.kernel"))
GALLERY = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.name)
def test_every_spec_is_checked_and_formatted(run: Run, path: Path) -> None:
    result = run("check", path)
    answer = (1, "disproved") if path.parent.name == "refused" else (0, "proved")
    assert (result.exit_code, result.stdout.split(":")[0]) == answer
    assert run("fmt", "--check", path).exit_code == 0


def test_the_gallery_shows_every_script_and_every_spec_as_it_is() -> None:
    scripts = {path.name for path in EXAMPLES.glob("*.py")}
    assert scripts == set(re.findall(r"^\$ python examples/(\S+)$", GALLERY, re.MULTILINE))
    assert len(scripts) == 18
    for path in SPECS:
        assert f"```kernel\n{path.read_text(encoding='utf-8').rstrip()}\n```" in GALLERY, path.name
        assert path.name in GALLERY


def test_the_table_leads_to_every_part_and_every_picture_is_there() -> None:
    titles = re.findall(r"^## (.+)$", GALLERY, re.MULTILINE)
    landmarks = re.findall(r"^\| \[(.+?)\]\(#(.+?)\)", GALLERY, re.MULTILINE)
    assert [title for title, _ in landmarks] == titles
    for title, landmark in landmarks:
        assert landmark == re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")
    pictures = set(re.findall(r"\]\(figures/(\S+?)\)", GALLERY))
    assert pictures == {path.name for path in (ROOT / "docs" / "figures").glob("gallery_*.png")}


def test_a_reader_of_the_readme_finds_the_gallery_in_one_step() -> None:
    assert "(docs/gallery.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


PACKAGE = ROOT / "kernelspec"
API = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
NAVIGATION = (ROOT / ".site" / "mkdocs.yml").read_text(encoding="utf-8")


def test_every_public_name_is_on_the_page() -> None:
    shown = set(re.findall(r"^::: kernelspec\.(\w+)$", API, re.MULTILINE))
    missing = sorted(set(ks.__all__) - shown - {"__version__"})
    assert not missing, "\n".join(f"add '::: kernelspec.{name}' to docs/api.md" for name in missing)


INSIDE = {
    "Categories", "ClosedProducts", "Collisions", "Columns", "Composition", "Cut", "DrawnPlan", "DualNode",
    "Elaborated", "Encoding", "Fact", "Form", "Hyperparameter", "Jordan", "Kernel", "KeyedFeatures", "Polar",
    "PolyaFacts", "Schema", "Step", "Skeleton", "Stratum",
}  # fmt: skip
"""Classes that methods of public classes return to the inside, or to be printed."""


def _documented() -> Iterator[tuple[str, object]]:
    """Every public function, class and method, with its name."""
    for name in ks.__all__:
        found = getattr(ks, name)
        yield name, found
        for member, value in inspect.getmembers(found) if inspect.isclass(found) else ():
            inner = value.fget if isinstance(value, property) else getattr(value, "func", value)
            if not member.startswith("_") and str(getattr(inner, "__module__", "")).startswith("kernelspec"):
                yield f"{name}.{member}", inner


def test_everything_that_a_docstring_raises_or_returns_can_be_imported() -> None:
    """Errors and warnings by the docstrings, results by the annotations."""
    classes = {
        node.name
        for path in PACKAGE.rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    }
    known, seen = {*ks.__all__, *dir(builtins), *INSIDE, "NotFittedError"}, set()
    for name, documented in _documented():
        raised = re.findall(r"\b(?:[A-Z]\w+(?:Error|Warning)|NotAvailableYet)\b", inspect.getdoc(documented) or "")
        returned = re.findall(r"\w+", str(getattr(documented, "__annotations__", {}).get("return", "")))
        for word in {*raised, *(classes & set(returned))}:
            assert word in known, f"{name} names {word}, which is not in kernelspec.__all__"
            seen.add(word)
    assert {"SpecError", "DataError", "PlanError", "FileError", "Facts", "FeatureMap", "Certificate"} <= seen


def test_the_navigation_leads_to_pages_that_are_there() -> None:
    pages = re.findall(r": (\S+\.md)$", NAVIGATION, re.MULTILINE)
    assert len(pages) > 15
    for page in pages:
        assert (ROOT / page).is_file(), page


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("mkdocs") is None, reason="pip install kernelspec[docs]")
def test_it_builds_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", ".site/mkdocs.yml", "-d", str(tmp_path)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for page in ("index.html", "docs/gallery.html", "docs/api.html", "assets/stylesheets"):
        assert (tmp_path / page).exists(), page
    assert "FeatureMap.transform" in (tmp_path / "docs" / "api.html").read_text(encoding="utf-8")
