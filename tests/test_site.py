"""The documents as a site: every public name is on its page of Python, and it builds without a warning."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import kernelspec as ks

ROOT = Path(__file__).resolve().parent.parent
API = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
NAVIGATION = (ROOT / ".site" / "mkdocs.yml").read_text(encoding="utf-8")


def test_every_public_name_is_on_the_page() -> None:
    shown = set(re.findall(r"^::: kernelspec\.(\w+)$", API, re.MULTILINE))
    missing = sorted(set(ks.__all__) - shown - {"__version__"})
    assert not missing, "\n".join(f"add '::: kernelspec.{name}' to docs/api.md" for name in missing)


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
