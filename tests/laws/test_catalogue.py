"""The catalogue of laws: every entry is where it says, and of every file with a rule there is an entry."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import kernelspec.laws
from kernelspec.laws.catalogue import DRAWS, OWN_LAWS, SCHEMES
from kernelspec.loading import load_from

FOLDER = Path(kernelspec.laws.__file__).parent


def modules() -> dict[str, ast.Module]:
    found = {}
    for path in FOLDER.rglob("*.py"):
        inside = path.relative_to(FOLDER).with_suffix("").parts
        found[".".join(("kernelspec", "laws", *inside))] = ast.parse(path.read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("catalogue", [SCHEMES, DRAWS], ids=["schemes", "draws"])
def test_every_rule_is_found_and_named_after_its_entry(catalogue) -> None:
    for name, entry in catalogue.items():
        assert entry.home.rpartition(":")[2] == name
        assert callable(load_from(entry.home))
        assert entry.words == entry.words.strip() != ""


def test_every_module_that_registers_laws_is_listed() -> None:
    registering = [
        name
        for name, tree in modules().items()
        if any(
            ast.unparse(decorator) == "own_law.register"
            for node in tree.body
            if isinstance(node, ast.FunctionDef)
            for decorator in node.decorator_list
        )
    ]
    assert sorted(registering) == sorted(OWN_LAWS)
    assert list(OWN_LAWS) == sorted(OWN_LAWS)
