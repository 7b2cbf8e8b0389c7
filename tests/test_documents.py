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
import textwrap
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
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LONG = {"how-to/gallery.md", "how-to/scale_out.md", "how-to/audit.md"}
"""Whose commands take seconds: nineteen scripts, clusters of processes, other libraries."""

LONG_PYTHON = {
    *(f"how-to/{name}.md" for name in ("features", "fit_and_predict", "scale_out", "test_features", "explain")),
    *(f"explanation/{name}.md" for name in ("planning", "polya", "minmax", "measures", "verdicts")),
    *(f"tutorials/{name}.md" for name in ("forecast", "what_is_this_kernel", "trust", "time_series")),
    "reference/language.md",
}
"""Whose blocks of Python take more than a second."""

OTHER_LIBRARIES = ("torch", "gpytorch", "celerite2")
"""What a block needs if it imports torch: it runs where CI has them."""

RESULTS = ROOT / "benchmarks" / "results"
NAVIGATION = (ROOT / ".site" / "mkdocs.yml").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
KINDS = {"python", "text", "math", "formula", "console", "sh", "kernel", "py"}
"""`py` are files, which are tested where they stand in a copy of the package: see test_extending.py."""

WIDTH = 76
"""Of code in documents: a line of it fits on a page of the site without scrolling."""


def name_of(document: Path) -> str:
    return document.relative_to(ROOT).as_posix().removeprefix("docs/")


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the examples in it, so that documents can read and write beside them."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def blocks(document: Path) -> list[tuple[str, str]]:
    """Kind and body of every block; `math` is a formula of the text unless a block of Python right above prints it."""
    text, found = document.read_text(encoding="utf-8"), []
    end, above = 0, ""
    for own in BLOCK.finditer(text):
        is_printed = above == "python" and not text[end : own.start()].strip()
        found.append(("formula" if own[1] == "math" and not is_printed else own[1], own[2]))
        end, above = own.end(), own[1]
    return found


def shown(printed: str) -> str:
    """What a program printed as documents show it: lines that are too wide go on in the next, further to the right."""
    lines: list[str] = []
    for line in printed.rstrip().splitlines():
        indent = " " * (len(line) - len(line.lstrip()) + 4)
        lines += textwrap.wrap(line.rstrip(), WIDTH, subsequent_indent=indent, break_on_hyphens=False) or [""]
    return "\n".join(lines)


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_blocks_are_of_known_kinds_and_none_is_left_out(document: Path) -> None:
    """Every fence belongs to a block that a test below runs or compares; code is as narrow as the page."""
    found = blocks(document)
    assert {kind for kind, _ in found} <= KINDS
    text = document.read_text(encoding="utf-8")
    assert len(re.findall(r"^\s*(?:```|~~~)", text, re.MULTILINE)) == 2 * len(found)
    assert [kind for kind, _ in found].count("sh") == (2 if document.name == "README.md" else 0)
    wide = [
        line
        for kind, body in found
        if kind not in ("math", "formula")
        for line in body.splitlines()
        if len(line) > WIDTH
    ]
    assert not wide, "\n".join(wide)


@pytest.mark.slow
@pytest.mark.parametrize(
    "document",
    [pytest.param(path, marks=[pytest.mark.long] if name_of(path) in LONG_PYTHON else []) for path in DOCUMENTS],
    ids=name_of,
)
def test_python_blocks_print_what_they_say(document: Path, workplace: Path) -> None:
    found, ran = blocks(document), 0
    for i, printed in printed_by_python(document):
        ran += 1
        if i + 1 < len(found) and found[i + 1][0] in ("text", "math"):
            assert shown(printed) == found[i + 1][1].rstrip()
        else:
            assert printed == "", f"block {i} prints, and the document does not say what"
    assert ran == sum(kind == "python" and runs_here(body) for kind, body in found)


def printed_by_python(document: Path) -> Iterator[tuple[int, str]]:
    """The number of every block of Python, and what it prints; all blocks of a document share their names."""
    names: dict[str, Any] = {"__name__": "document"}
    for i, (kind, body) in enumerate(blocks(document)):
        if kind == "python" and runs_here(body):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                as_alone(exec, compile(body, f"{document.name}, block {i}", "exec"), names)
            yield i, printed.getvalue()


def runs_here(body: str) -> bool:
    """Whether the libraries that a block needs are installed."""
    return "import torch\n" not in body or all(map(importlib.util.find_spec, OTHER_LIBRARIES))


def as_alone(run: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """As in a process of its own: without the ledger of this run, whose seed would move what assertions draw."""
    return Context().run(run, *arguments, **named)


def in_a_shell(command: str, folder: Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """The line in a shell, given `text` to read; `kernelspec` and `python` are processes of their own."""
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "COLUMNS": str(WIDTH),
    }
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, input=text, capture_output=True, text=True, check=False
    )


def in_this_process(program: str, arguments: list[str], merged: bool) -> str:
    """What `kernelspec …` or `python FILE` prints, `merged` with its errors, without importing everything again."""
    if program == "kernelspec":
        environment = {"COLUMNS": str(WIDTH)}
        result = CliRunner().invoke(main, arguments, prog_name=program, env=environment, catch_exceptions=False)
        return result.output if merged else result.stdout
    (script,) = arguments
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(script, run_name="__main__")
    return printed.getvalue()


COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
"""A command, which may go on after a backslash, and what it prints."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "document",
    [pytest.param(path, marks=[pytest.mark.long] if name_of(path) in LONG else []) for path in DOCUMENTS],
    ids=name_of,
)
def test_console_blocks_print_what_they_say(document: Path, workplace: Path) -> None:
    """In a shell: the lines of the README, the first script of a document, and what is not one command and a pipe."""
    ran = 0
    for command, expected, printed, errors in printed_by_console(document, workplace):
        ran += 1
        assert shown(printed) == expected.rstrip(), f"{command}\n{printed}\n{errors}"
    assert ran == len(re.findall(r"^\$ ", document.read_text(encoding="utf-8"), re.MULTILINE))


def printed_by_console(document: Path, workplace: Path) -> Iterator[tuple[str, str, str, str]]:
    """Every command, what the document says that it prints, what it prints, and its errors."""
    alone = set() if document.name == "README.md" else {"kernelspec"}
    for kind, body in blocks(document):
        if kind != "console":
            continue
        assert body.startswith("$ ")
        for command, expected in COMMAND.findall(body):
            line = command.replace("\\\n", "")
            simple = re.fullmatch(r"((kernelspec|python) (?!-)[^|;<>&$`]*?)( 2>&1)?(?: \| (.*))?", line)
            errors = ""
            if simple and simple[2] in alone:
                arguments = shlex.split(simple[1])[1:]
                printed = as_alone(in_this_process, simple[2], arguments, merged=simple[3] is not None)
                printed = in_a_shell(simple[4], workplace, printed).stdout if simple[4] else printed
            else:
                done = in_a_shell(line, workplace)
                printed, errors = done.stdout, done.stderr
            if document.name != "README.md":
                alone.add("python")
            yield command, expected, printed, errors


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_other_text_is_quoted_from_stored_results(document: Path) -> None:
    """What takes other packages, or a time of its own, stands word for word in a file of benchmarks/results."""
    found = blocks(document)
    stored = [path.read_text(encoding="utf-8") for path in RESULTS.glob("*.txt")]
    for i, (kind, body) in enumerate(found):
        if kind in ("text", "math") and (i == 0 or found[i - 1][0] != "python"):
            assert any(body.rstrip() in shown(text) for text in stored), f"block {i}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_kernel_blocks_parse_and_are_formatted(document: Path) -> None:
    for kind, body in blocks(document):
        if kind == "kernel":
            assert ks.format_text(body) == body


@pytest.mark.parametrize("name", ["job", "tests"])
def test_the_two_commands_are_where_ci_looks_for_them(name: str) -> None:
    """`.ci/run` finds what the document shows, and a shell can read it."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = readme.partition(f"<!-- the {name} -->\n```sh\n")[2].partition("```\n")[0]
    finds = re.search(r"^command_of\(\).*$", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE)
    assert finds is not None
    assert in_a_shell(f"{finds[0]}\ncommand_of 'the {name}'", ROOT).stdout == shown
    assert shown.startswith(("python3 -m venv .venv", ".venv/bin/python -m pytest"))
    assert in_a_shell(f"bash -nc {shlex.quote(shown)}", ROOT).returncode == 0


def _missing(names: Iterable[str], *documents: str) -> list[str]:
    text = "".join((ROOT / name).read_text(encoding="utf-8") for name in documents)
    return [name for name in names if not re.search(rf"\b{name}\b", text)]


@pytest.mark.parametrize(
    ("names", "documents"),
    [
        (KERNELS, ["docs/reference/language.md"]),
        (DISTRIBUTIONS, ["docs/reference/language.md", "docs/explanation/polya.md"]),
        (ACTIVATIONS, ["docs/explanation/compositional.md"]),
    ],
    ids=["kernels", "distributions", "activations"],
)
def test_documents_tell_every_name_of_the_catalogues(names: Mapping[str, str], documents: list[str]) -> None:
    missing = _missing(names, *documents)
    assert not missing, f"add {', '.join(missing)} to {' or '.join(documents)}, with arguments and formula"


BIBLIOGRAPHY = ROOT / "docs" / "reference" / "bibliography.md"
ENTRY = re.compile(r"^- \*\*(?P<names>[^*]+) (?P<year>\d{4})\*\*: ", re.MULTILINE)
CITED = re.compile(r"(?P<name>\b[^\W\d_a-z][\w'’-]+)(?P<others> et al\.)? (?P<year>(?:18|19|20)\d\d)\b(?!-)")
"""The last author before a year, or the first with `et al.`"""


@cache
def entries() -> tuple[tuple[tuple[str, ...], str], ...]:
    found = ENTRY.finditer(BIBLIOGRAPHY.read_text(encoding="utf-8"))
    return tuple((tuple(re.split(r", | and ", own["names"])), own["year"]) for own in found)


def cited() -> dict[tuple[str, bool, str], Path]:
    """Author, whether it is the first of several, and year of every citation, with a place."""
    documents = [ROOT / "README.md", *(path for path in (ROOT / "docs").rglob("*.md") if path != BIBLIOGRAPHY)]
    found = {}
    for path in [*(ROOT / "kernelspec").rglob("*.py"), *documents]:
        text = re.sub(r"\s+(#\s+)?", " ", path.read_text(encoding="utf-8"))
        for own in CITED.finditer(text):
            found[own["name"], own["others"] is not None, own["year"]] = path
    return found


def entry_of(name: str, *, first: bool, year: str) -> tuple[tuple[str, ...], str] | None:
    place = 0 if first else -1
    return next((own for own in entries() if own[1] == year and own[0][place].split()[-1] == name), None)


@pytest.mark.slow
def test_every_source_that_is_named_is_listed() -> None:
    assert len(entries()) > 50
    missing = [
        f"{path.relative_to(ROOT)}: {name}{' et al.' * first} {year} is not in docs/reference/bibliography.md"
        for (name, first, year), path in cited().items()
        if entry_of(name, first=first, year=year) is None
    ]
    assert not missing, "\n".join(missing)


@pytest.mark.slow
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
GALLERY = (ROOT / "docs" / "how-to" / "gallery.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.name)
def test_every_spec_is_checked_and_formatted(run: Run, path: Path) -> None:
    result = run("check", path)
    answer = (1, "disproved") if path.parent.name == "refused" else (0, "proved")
    assert (result.exit_code, result.stdout.split(":")[0]) == answer
    assert run("fmt", "--check", path).exit_code == 0


def test_the_gallery_shows_every_script_and_every_spec_as_it_is() -> None:
    scripts = {path.name for path in EXAMPLES.glob("*.py")}
    assert scripts == set(re.findall(r"^\$ python examples/(\S+)$", GALLERY, re.MULTILINE))
    assert len(scripts) == 19
    for path in SPECS:
        assert f"```kernel\n{path.read_text(encoding='utf-8').rstrip()}\n```" in GALLERY, path.name
        assert path.name in GALLERY


def test_the_table_leads_to_every_part_and_every_picture_is_there() -> None:
    titles = re.findall(r"^## (.+)$", GALLERY, re.MULTILINE)
    landmarks = re.findall(r"^\| \[(.+?)\]\(#(.+?)\)", GALLERY, re.MULTILINE)
    assert [title for title, _ in landmarks] == titles
    for title, landmark in landmarks:
        assert landmark == re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")
    pictures = set(re.findall(r"\]\(\.\./figures/(\S+?)\)", GALLERY))
    figures = ROOT / "docs" / "figures"
    assert pictures == {path.name for stem in ("gallery", "thumb") for path in figures.glob(f"{stem}_*.png")}


LINK = re.compile(r"\]\((?P<path>[^)#:\s]*)(?:#(?P<title>[^)\s]+))?\)")


def anchors_of(document: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def linked(document: Path) -> set[tuple[Path, str | None]]:
    text = document.read_text(encoding="utf-8")
    return {
        ((document.parent / own["path"]).resolve() if own["path"] else document, own["title"])
        for own in LINK.finditer(text)
    }


def test_links_lead_to_files_and_titles() -> None:
    for document in [*DOCUMENTS, ROOT / "CONTRIBUTING.md", ROOT / "examples" / "README.md"]:
        for target, title in linked(document):
            assert target.exists(), f"{document.name}: {target}"
            if title is not None and target.suffix == ".md":
                assert title in anchors_of(target), f"{name_of(document)}: {target.name}#{title}"


@pytest.mark.parametrize("start", ["README.md", "docs/index.md"])
def test_every_answer_is_at_most_two_clicks_away(start: str) -> None:
    """The ten tasks of docs/internals/reader_tasks.md, each with the place of its answer."""
    tasks = ROOT / "docs" / "internals" / "reader_tasks.md"
    answers = {(target, title) for target, title in linked(tasks) if target != ROOT / "README.md"}
    assert len(answers) == 7
    first = {target for target, _ in linked(ROOT / start) if target.suffix == ".md"}
    if start == "docs/index.md":  # the home page has the menu of the site
        first |= {ROOT / page for page in re.findall(r": (\S+\.md)$", NAVIGATION, re.MULTILINE)}
    second = {target for page in first for target, _ in linked(page)}
    missing = [target.name for target, _ in answers if target not in first | second]
    assert not missing


PACKAGE = ROOT / "kernelspec"
API = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")


def test_every_public_name_is_on_the_page() -> None:
    shown = set(re.findall(r"^::: kernelspec\.(\w+)$", API, re.MULTILINE))
    missing = sorted(set(ks.__all__) - shown - {"__version__"})
    assert not missing, "\n".join(f"add '::: kernelspec.{name}' to docs/reference/api.md" for name in missing)


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


@pytest.mark.slow
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
    for page in ("index.html", "docs/how-to/gallery.html", "docs/reference/api.html", "assets/stylesheets"):
        assert (tmp_path / page).exists(), page
    for page, part in (
        ("api", "FeatureMap.transform"),
        ("cli", "kernelspec features [OPTIONS]"),
        ("limits", "latex2mathml"),
    ):
        assert part in (tmp_path / "docs" / "reference" / f"{page}.html").read_text(encoding="utf-8"), page
    assert "<math" in (tmp_path / "docs" / "explanation" / "measures.html").read_text(encoding="utf-8")
