"""The catalogue of laws: every entry is where it says, and of every file with a rule there is an entry."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import kernelspec.laws
from kernelspec.laws.law import Law
from kernelspec.laws.rules import DRAWS, LAWS, SCHEMES
from kernelspec.loading import load_from

FOLDER = Path(kernelspec.laws.__file__).parent


def modules() -> dict[str, ast.Module]:
    found = {}
    for path in FOLDER.rglob("*.py"):
        inside = path.relative_to(FOLDER).with_suffix("").parts
        found[".".join(("kernelspec", "laws", *inside))] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def rules() -> dict[str, str]:
    return {name: scheme.rule for name, scheme in SCHEMES.items()} | {
        name: draws.stream for name, draws in DRAWS.items()
    }


@pytest.mark.parametrize("name", rules())
def test_every_rule_is_found_and_named_after_its_entry(name: str) -> None:
    home = rules()[name]
    assert home.rpartition(":")[2] == name
    assert callable(load_from(home))


@pytest.mark.parametrize("entry", [*SCHEMES.values(), *DRAWS.values()])
def test_every_entry_has_words(entry) -> None:
    assert entry.words == entry.words.strip() != ""


@pytest.mark.parametrize("name", LAWS)
def test_every_law_is_found(name: str) -> None:
    assert issubclass(load_from(LAWS[name]), Law)


def test_every_law_has_an_entry() -> None:
    written = {
        f"{name}:{node.name}"
        for name, tree in modules().items()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and {"Law", "Derived", "Agreement"} & set(map(ast.unparse, node.bases))
    }
    written -= {"kernelspec.laws.columns_and_lags:Derived", "kernelspec.laws.keys:Agreement"}  # bases of others
    assert written == set(LAWS.values())


def test_every_module_that_registers_laws_is_listed() -> None:
    # law_of imports the modules of the catalogue, so that their rules are there
    registering = {
        name
        for name, tree in modules().items()
        if any(
            ast.unparse(decorator) == "own_law.register"
            for node in tree.body
            if isinstance(node, ast.FunctionDef)
            for decorator in node.decorator_list
        )
    }
    assert registering - {"kernelspec.laws.rules"} <= {home.partition(":")[0] for home in LAWS.values()}
