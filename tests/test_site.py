"""The documents as a site: every public name is on its page of Python, and it builds without a warning."""

from __future__ import annotations

import ast
import builtins
import importlib.util
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import kernelspec as ks

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "kernelspec"
API = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
NAVIGATION = (ROOT / ".site" / "mkdocs.yml").read_text(encoding="utf-8")


def test_every_public_name_is_on_the_page() -> None:
    shown = set(re.findall(r"^::: kernelspec\.(\w+)$", API, re.MULTILINE))
    missing = sorted(set(ks.__all__) - shown - {"__version__"})
    assert not missing, "\n".join(f"add '::: kernelspec.{name}' to docs/api.md" for name in missing)


INSIDE = {
    "Categories", "ClosedProducts", "Collisions", "Columns", "Composition", "Cut", "DrawnPlan", "DualNode", "Encoding",
    "Fact", "Form", "Hyperparameter", "Jordan", "Kernel", "KeyedFeatures", "Polar", "PolyaFacts", "Schema", "Step",
    "Skeleton", "Stratum",
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
