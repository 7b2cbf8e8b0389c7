"""JSON data: complete for every kernel, the same every time."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys

import pytest
import sympy

import kernelspec as ks
from tests.analysis.analyzed import analyzed
from tests.elaboration.specs import ALL

KEYS = [
    "spec", "columns", "verdict", "kernel", "k0", "spectral_measure", "no_spectral_measure", "spectral_density",
    "no_spectral_density", "atoms", "second_moment", "moments", "tail_exponent", "no_tail_exponent", "masses",
    "no_masses", "mean", "polya", "norm", "composition", "dual_nodes", "skeletons", "cosine_estimators", "variance",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("text", ALL)
def test_every_kernel(text: str) -> None:
    facts = analyzed(text, 2)
    found = facts.to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert list(found) == KEYS
    assert found["verdict"]["positive_definite"] == facts.verdict.positive_definite
    assert (found["spectral_measure"] is None) == (found["no_spectral_measure"] is not None)
    assert (found["spectral_density"] is None) == (found["no_spectral_density"] is not None)


@pytest.mark.slow
@pytest.mark.parametrize("text", [t for t in ALL if "[" not in t])
def test_any_number_of_columns(text: str) -> None:
    found = analyzed(text).to_dict()
    assert found["columns"] is None
    json.dumps(found, allow_nan=False)


def test_expressions_can_be_read_back() -> None:
    found = ks.analyze("gaussian()", dim=1).to_dict()
    omega = sympy.Symbol("omega")
    assert (
        sympy.simplify(sympy.sympify(found["spectral_density"]) - sympy.exp(-(omega**2) / 2) / sympy.sqrt(2 * sympy.pi))
        == 0
    )


@pytest.mark.long
def test_json_is_the_same_in_every_process() -> None:
    code = (
        "import json, kernelspec as ks; "
        "print(json.dumps(ks.analyze('0.5*gaussian()*periodic(2) + cosine(1)*laplace() - match()', dim=2).to_dict()))"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "77")
    ]  # fmt: skip
    assert outputs[0] == outputs[1]


def test_named_columns_are_named() -> None:
    assert ks.analyze("gaussian()[age]").to_dict()["columns"] == ("age",)


@pytest.mark.slow
def test_compositional_kernels_have_their_layers() -> None:
    text = "full(relu, input=conv(exp(c=1/4), size=2, stride=2, input=image(4, 4, 1)))[0:16] * dual(step, sphere())"
    found = ks.analyze(text, dim=16).to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    (skeleton,) = found["skeletons"]
    assert (skeleton["image"], skeleton["base"], skeleton["depth"]) == ([4, 4, 1], "circle()", 2)
    assert (skeleton["complexity"], skeleton["layers"][1]["mean_degree"]) == (0.25, 1.0)
    assert skeleton["layers"][0]["shape"] == [2, 2]
    assert skeleton["layers"][0]["probabilities"][:2] == pytest.approx([math.exp(-0.25), math.exp(-0.25) / 4])
    (node,) = found["dual_nodes"]
    assert (node["activation"], node["mean_degree"], node["infinite_above"]) == ("step", "infinite", 1.0)
    assert (found["norm"], ks.analyze("gaussian()", dim=2).to_dict()["norm"]) == ("infinite", 1.0)
    assert ks.analyze("dual(relu, gaussian())").to_dict()["dual_nodes"] is None  # how many columns is not known
