"""`catalogue`: everything by name."""

from __future__ import annotations

import json

import kernelspec as ks
from kernelspec.activations.activation import load_activation
from kernelspec.catalogue import ACTIVATIONS, DISTRIBUTIONS, KERNELS
from kernelspec.elaboration.forms.form import FORMS, load_form
from kernelspec.kernels.leaf import load_kernel
from tests.cli.conftest import Run


def test_every_entry_is_on_a_line_of_its_own(run: Run) -> None:
    result = run("catalogue")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    for name in KERNELS:
        own = [line for line in lines if line.strip().startswith(f"{name}(")]
        assert load_kernel(name).formula in own[0]
        assert load_kernel(name).reference in own[0]
    assert all(f" {name}(" in result.stdout for name in DISTRIBUTIONS)
    assert all(load_form(form).signature in result.stdout for form in FORMS)
    shown = lines[next(i for i, line in enumerate(lines) if line.startswith("activations")) :]
    for name in ACTIVATIONS:
        own = [line for line in shown if line.strip().startswith(f"{name}(")]
        assert load_activation(name).formula in own[0]
        assert load_activation(name).reference in own[0]
    assert any("activation(x -> f(x))" in line for line in shown)


def test_one_kernel(run: Run) -> None:
    result = run("catalogue", "matern")
    assert result.exit_code == 0
    assert result.stdout.startswith("kernel matern(nu, scale=1)\n")
    assert "reference: Rasmussen and Williams 2006" in result.stdout


def test_a_name_of_two_things_shows_both(run: Run) -> None:
    result = run("catalogue", "gaussian")
    assert "kernel gaussian(scale=1)" in result.stdout
    assert "distribution gaussian(" in result.stdout
    assert "activation gaussian(a=1)" in result.stdout
    form = run("catalogue", "normalize")
    assert form.stdout == f"form {load_form('normalize').signature}\n\n{load_form('normalize').meaning}\n"


def test_activations_and_forms(run: Run) -> None:
    result = run("catalogue", "relu")
    assert result.exit_code == 0
    assert result.stdout.startswith("activation relu()\n")
    assert "formula: max(0, x)" in result.stdout
    assert "reference: Cho and Saul 2009" in result.stdout
    assert "activation activation(x -> f(x))" in run("catalogue", "activation").stdout
    assert run("catalogue", "dual").stdout.startswith("form dual(activation, k, max_degree=…)\n")
    (entry,) = json.loads(run("catalogue", "dual", "--json").stdout)
    assert entry["name"] == "dual"


def test_json(run: Run) -> None:
    report = json.loads(run("catalogue", "--json").stdout)
    assert [entry["name"] for entry in report["kernels"]] == list(KERNELS)
    assert [entry["name"] for entry in report["distributions"]] == list(DISTRIBUTIONS)
    assert [entry["name"] for entry in report["forms"] if "name" in entry] == list(FORMS)
    assert [entry["name"] for entry in report["activations"]] == [*ACTIVATIONS, "activation"]
    (entry,) = json.loads(run("catalogue", "laplace", "--json").stdout)[:1]
    assert entry["signature"] == "laplace(scale=1)"
    assert ks.parse(entry["signature"]).params == {}


def test_an_unknown_name(run: Run) -> None:
    result = run("catalogue", "mattern")
    assert (result.exit_code, result.stderr) == (
        2,
        "nothing in the catalogue is called 'mattern'; did you mean 'matern'?\n",
    )
    assert "it has " in run("catalogue", "zzz").stderr
