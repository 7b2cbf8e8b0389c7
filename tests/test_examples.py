"""The gallery: every spec is checked, every script and picture is in docs/gallery.md, where its output is tested."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run, run

__all__ = ["run"]

ROOT = Path(__file__).resolve().parent.parent
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
    assert len(scripts) == 16
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
