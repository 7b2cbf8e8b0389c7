"""Loading by name; packages that may be missing."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from kernelspec.errors import KernelspecError, MissingPackageError
from kernelspec.loading import load_from, require_package


def test_the_attribute_of_the_module() -> None:
    assert load_from("fractions:Fraction") is Fraction


@pytest.mark.parametrize(
    ("home", "error"), [("fractions:Friction", AttributeError), ("fictions:Fraction", ModuleNotFoundError)]
)
def test_a_wrong_home_is_not_hidden(home: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        load_from(home)


def test_a_package_that_is_there_is_not_imported_by_asking_for_it() -> None:
    script = "import sys; from kernelspec.loading import require_package as require; " + (
        "require('matplotlib', extra='plot', purpose='figures'); print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("known", [MissingPackageError, KernelspecError, ImportError])
def test_a_missing_package_is_named_with_the_command_that_installs_it(known: type[Exception]) -> None:
    message = r"^figures need the package plotlib, which is not installed: pip install 'kernelspec\[plot\]'$"
    with pytest.raises(known, match=message):
        require_package("plotlib", extra="plot", purpose="figures")


@pytest.mark.slow
def test_every_extra_that_a_message_names_is_there_and_brings_the_package() -> None:
    root = Path(__file__).resolve().parent.parent
    extras = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    calls = r'require_package\(\s*"(\w+)",\s*extra="(\w+)"'
    modules = [path.read_text(encoding="utf-8") for path in (root / "kernelspec").rglob("*.py")]
    asked = [found for text in modules for found in re.findall(calls, text)]
    assert asked
    for name, extra in asked:
        assert any(line.startswith(f"{name}>=") for line in extras[extra]), f"kernelspec[{extra}] does not bring {name}"
