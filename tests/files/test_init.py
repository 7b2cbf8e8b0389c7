"""The package as a whole."""

from __future__ import annotations

import subprocess
import sys

import kernelspec.files
import pytest


@pytest.mark.slow
def test_import_is_light() -> None:
    heavy = "pyarrow scipy sklearn pandas polars"
    code = f"import sys, kernelspec.files; print([m for m in {heavy.split()!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_all_names_exist() -> None:
    for name in kernelspec.files.__all__:
        assert getattr(kernelspec.files, name) is not None
