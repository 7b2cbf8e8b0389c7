"""Loading and using a saved map needs neither the parser, nor the elaboration, nor SymPy."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.maps.cases import CASES
from tests.maps.files import expected_of, file_of

_SCRIPT = """
import sys
import numpy as np

class Blocked:
    # text may be explained, but neither read nor turned into mathematics
    names = ("sympy", "lark", "kernelspec.language.parser", "kernelspec.language.grammar", "kernelspec.spec",
             "kernelspec.analysis", "kernelspec.maps.redrawn", "kernelspec.planning.planner")
    def find_spec(self, name, path=None, target=None):
        if any(name == own or name.startswith(own + ".") for own in self.names):
            raise ImportError(f"{name} is imported")

sys.meta_path.insert(0, Blocked())
import kernelspec as ks
for path, known in zip(sys.argv[1::2], sys.argv[2::2]):
    try:
        with np.load(known) as file:
            arrays = dict(file)
        rows = arrays["numbers"]
        for name in arrays:
            if name.startswith("text"):
                rows = rows.astype(object)
                rows[:, int(name.removeprefix("text"))] = arrays[name]
        fmap = ks.load_map(path)
        left = fmap.left(rows)
        assert np.allclose(left if isinstance(left, np.ndarray) else left.toarray(), arrays["left"], 1e-9, 1e-12)
        fmap.right(rows), fmap.approximate(rows), fmap.names(), fmap.signs, fmap.explain()
        fmap.predicted_error(rows), fmap.predicted_variance(rows, hashed=True), fmap.plan.to_dict()
        if fmap.is_sparse:
            fmap.keys(rows), fmap.with_columns(rows)
    except ImportError as error:
        print(path.rsplit("/")[-1], error)
"""


@pytest.mark.long
def test_nothing_else_is_imported() -> None:
    arguments = [str(own("0.2", name)) for name in CASES for own in (file_of, expected_of)]
    run = subprocess.run([sys.executable, "-c", _SCRIPT, *arguments], capture_output=True, text=True, check=False)
    assert run.stdout + run.stderr == ""
    assert run.returncode == 0
