"""`kernelspec report`: one page that shows what the commands print, without a network."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kernelspec as ks
from tests.cli.conftest import Run

VOID = {"meta", "br", "img", "input", "link", "hr", "path", "rect", "use", "circle", "line"}


class Page(HTMLParser):
    """The text of a page by section; every element must be closed, and nothing may be fetched."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.titles: list[str] = []
        self.words, self.stored = "", ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("src", "href", "xlink:href"):
                assert (value or "").startswith("#"), (tag, value)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["script"]:
            self.stored += data
        elif self.open[-1:] == ["h2"]:
            self.titles.append(data)
        else:
            self.words += data

    @property
    def data(self) -> dict[str, Any]:
        return json.loads(self.stored)


def page(run: Run, path: Path, *arguments: object) -> Page:
    result = run("report", *arguments, "-o", path)
    assert result.exit_code == 0, result.output
    return Page(path.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_a_kernel_alone(run: Run, tmp_path: Path) -> None:
    text = "0.7*gaussian(scale=2) + 0.3*matern(nu=3/2)"
    found = page(run, tmp_path / "r.html", "-e", text, "--dim", 2)
    assert found.titles == ["Spec", "Verdict", "Formulas", "Pictures", "Plan"]
    facts = ks.analyze(text, dim=2)
    stored = json.loads(json.dumps(facts.to_dict(), default=str))
    assert found.data["facts"].keys() == stored.keys()
    assert found.data["verdict"] == json.loads(json.dumps(facts.verdict.to_dict()))
    assert all(reason in found.words for reason in facts.verdict.reasons)
    assert str(facts.second_moment) in found.words
    fmap = ks.compile(text, dim=2)
    assert found.data["plan"]["n_columns"] == fmap.n_columns
    assert fmap.explain() in found.words
    source = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert source.count("<math") == 2
    assert "<svg" in source
    assert not re.search(
        r"https?://(?!www\.w3\.org|purl\.org|creativecommons\.org)", source.replace("matplotlib.org", "www.w3.org")
    )


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::kernelspec.KeptRowsWarning")
def test_a_kernel_on_a_table(run: Run, tmp_path: Path) -> None:
    """The shown numbers are those of the page's JSON, and what Python computes of the same rows."""
    generator = np.random.default_rng(0)
    table = pd.DataFrame({"a<b": generator.normal(size=120), "kind": generator.choice(["x", "y"], 120)})
    table["y"] = np.sin(table["a<b"]) + (table.kind == "x")
    table.to_csv(tmp_path / "t.csv", index=False)
    spec = '0.6*gaussian()["a<b"] + 0.4*gaussian()["a<b"]*match()[kind]'
    found = page(run, tmp_path / "r.html", "-e", spec, tmp_path / "t.csv", "--target", "y", "--n-features", 64)
    assert found.titles[-4:] == ["The kernel between rows", "Error on the data", "Test of the features", "A model of y"]
    data = found.data
    k = ks.parse(spec).gram(table)
    np.testing.assert_allclose(
        data["between_rows"]["quantiles"], np.quantile(k[~np.eye(120, dtype=bool)], data["between_rows"]["levels"])
    )
    assert f"predicted {data['error']['predicted'] ** 0.5:.3g}" in found.words
    assert data["certificate"]["verdict"] in found.words
    held = data["model"]["held_out"]
    assert f"R² {held['value']:.3f}" in found.words
    assert held["n_rows"] == 24
    assert sum(own["share"] for own in data["model"]["terms"]) == pytest.approx(1)
    assert '"a<b"' in data["spec"]


@pytest.mark.slow
def test_the_density_between_equal_categories_is_typeset(run: Run, tmp_path: Path) -> None:
    found = page(run, tmp_path / "r.html", "-e", "gaussian(scale=2)[x]*match()[c]", "--columns", "x,c")
    assert "Spectral measure between equal categories" in found.words
    alone = page(run, tmp_path / "alone.html", "-e", "gaussian(scale=2)[x]", "--columns", "x")
    assert "Between rows" not in alone.words
    densities = [
        re.findall(r'aria-label="formula of μ\(ω\)".*?</math>', (tmp_path / name).read_text(encoding="utf-8"))
        for name in ("r.html", "alone.html")
    ]
    assert densities[0] == densities[1]
    assert len(densities[0]) == 1


EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.parametrize(
    ("arguments", "n_pages"),
    [
        (["-e", "0.7*gaussian(scale=2) + 0.3*matern(nu=3/2)", "--dim", "2"], 1),
        ([EXAMPLES / "penguins.kernel", EXAMPLES / "penguins.csv", "--target", "species"], 2),
    ],
)
def test_it_prints_on_two_pages_without_console_errors(
    run: Run, tmp_path: Path, arguments: list[object], n_pages: int
) -> None:
    """Chromium counts the pages; what a script or a missing resource logs is an error."""
    page(run, tmp_path / "r.html", *arguments)
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
    flags += ["--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"]
    own = [f"--user-data-dir={tmp_path / 'profile'}", f"--print-to-pdf={tmp_path / 'r.pdf'}"]
    command = [str(CHROMIUM), *flags, *own, "--enable-logging=stderr", (tmp_path / "r.html").as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=True)
    assert "CONSOLE" not in done.stderr
    pages = re.findall(rb"/Type\s*/Page\b", (tmp_path / "r.pdf").read_bytes())
    assert len(pages) == n_pages


@pytest.mark.long
def test_the_distribution_is_that_of_a_normalized_kernel(run: Run, tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    table = pd.DataFrame(generator.normal(size=(60, 2)), columns=["x_room", "b"])
    table.to_csv(tmp_path / "t.csv", index=False)
    text = "normalize(linear())[x_room, b]"
    found = page(run, tmp_path / "r.html", "-e", text, tmp_path / "t.csv").data["between_rows"]
    k = ks.parse(text).gram(table)
    np.testing.assert_allclose(found["quantiles"], np.quantile(k[~np.eye(60, dtype=bool)], found["levels"]))
    assert "∞" not in page(run, tmp_path / "r.html", "-e", "linear()[x_room]").words


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-e", "gaussian()", "-o", "r.txt"], "a report is written to a .html file"),
        (["-e", "gaussian()", "--target", "y", "-o", "r.html"], "--target requires TABLE"),
        (
            ["-e", "gaussian()", EXAMPLES / "penguins.csv", "--target", "Species", "-o", "r.html"],
            "penguins.csv: unknown column 'Species'; did you mean 'species'?",
        ),
        (["-e", "gaussian()[nope]", "t.csv", "-o", "r.html"], "unknown column 'nope'"),
        (["-e", "gaussan()", "-o", "r.html"], "gaussan"),
    ],
)
def test_what_cannot_be_reported(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("a,y\n1,2\n3,4\n", encoding="utf-8")
    result = run("report", *arguments)
    assert (result.exit_code, message in result.output) == (2, True), result.output
    assert not Path("r.html").exists()


@pytest.mark.slow
@pytest.mark.parametrize("text", ["shift_gaussian(scale=2, by=1)", "param s > 0\ngaussian(s)", "linear()", "match()"])
def test_what_is_missing_is_said(run: Run, tmp_path: Path, text: str) -> None:
    """A kernel without a number of columns, a parameter without a value, a kernel without a density."""
    found = page(run, tmp_path / "r.html", "-e", text)
    assert found.titles[:3] == ["Spec", "Verdict", "Formulas"]
    assert found.data["plan"]["no_plan"] is not None
