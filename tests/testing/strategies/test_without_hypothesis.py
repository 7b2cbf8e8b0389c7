"""What is said where Hypothesis is not installed; everything else of kernelspec.testing works without it."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import sys
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "hypothesis" else found(name, package)
import kernelspec.testing.assertions, kernelspec.testing.laboratory
try:
    import kernelspec.testing.strategies
except ImportError as error:
    print(f"{type(error).__name__}: {error}")
"""


@pytest.mark.long
def test_the_message_says_what_to_install() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (
        "MissingPackageError: strategies for specs and tables need the package hypothesis, which is not installed: "
        "pip install 'kernelspec[testing]'"
    )
