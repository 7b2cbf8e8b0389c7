"""Cells of kept results (benchmarks/results), computed again: each within the spread that its table states.

Speeds (engine, clusters) are of a machine and have no cell here.
"""

from __future__ import annotations

import importlib
import re
from collections import Counter
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.optimize import brentq
from sklearn.kernel_approximation import RBFSampler

import kernelspec as ks
from benchmarks import closed_accuracy, random_densities, random_specs, verdicts
from benchmarks.link_prediction import areas, graph_of
from kernelspec.laws.fourier import minmax_variance, normalized_variance
from tests.front_door.engine import SHARES, judged
from tests.fuzzing.campaign import case_of
from tests.fuzzing.targets import TARGETS
from tests.verdicts.test_known_answers import cases as known_cases
from tests.verdicts.test_ties import cases as tie_cases

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
DATA = ROOT.parent / "shared" / "data"
HEAD = 800
"""Characters in which a result says what made it."""


def read(name: str) -> str:
    return (RESULTS / name).read_text(encoding="utf-8")


def row(name: str, start: str) -> list[str]:
    """The cells of the only line of a table that starts so."""
    (line,) = [line for line in read(name).splitlines() if line.startswith(start)]
    return [cell.strip() for cell in line.strip("|").split("|")]


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d*\.?\d+(?:e-?\d+)?", text.replace(",", "").replace("−", "-"))]


def rounded(found: float, text: str) -> bool:
    """Whether a number is the printed one, to within one unit of its last digit."""
    digits = len(text.partition(".")[2])
    return abs(found - float(text)) <= 10.0**-digits * (1 + 1e-9)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Imports a script of the benchmarks, which finds its neighbors beside it."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module


def data_of(name: str) -> Path:
    """The folder of data sets. Skips where the set is not there."""
    if not (DATA / f"{name}.npz").exists():
        pytest.skip(f"needs {name}.npz of benchmarks/DATA.md in {DATA}")
    return DATA


@pytest.mark.parametrize(
    "path", [path for path in sorted(RESULTS.iterdir()) if path.suffix != ".jsonl"], ids=lambda path: path.name
)
def test_every_result_says_what_made_it(path: Path) -> None:
    head = path.read_text(encoding="utf-8")[:HEAD]
    assert re.search(r"\b(?=\w*\d)[0-9a-f]{8}\b", head), "no commit"
    assert re.search(r"\b2026-\d\d-\d\d\b", head), "no date"
    assert re.search(r"`(python|kernelspec) ?[^`]*`", head, re.DOTALL), "no command"
    assert re.search(r"AMD|Intel|processor was not recorded|processor not recorded", " ".join(head.split()))


# -- without data ------------------------------------------------------------------------------------------------------


def test_masses_of_asymmetric_kernels() -> None:
    """Spambase has 57 columns."""
    cells = row("asymmetric.md", "| shift | spambase | .991266 ")
    masses = ks.analyze("shift_gaussian(scale=2, by=2/d)", dim=57).masses
    assert rounded(float(masses.real_positive), cells[2])
    assert float(masses.real_negative) == pytest.approx(float(cells[3].replace("−", "-")), rel=5e-3)
    assert rounded(float(masses.imaginary_positive), cells[4])


def test_where_minmax_keys_have_less_variance() -> None:
    for gamma, text in zip((0.5, 2, 10, 50), row("minmax.md", "| ρ | 0.534")[1:], strict=True):

        def difference(rho: float, gamma: float = gamma) -> float:
            return float(normalized_variance(rho, gamma) - minmax_variance(rho, gamma))

        assert rounded(brentq(difference, 0.3, 0.99), text)


@pytest.mark.slow
def test_random_densities_are_within_their_bars() -> None:
    """The first four of a seed: one and two columns, real and complex."""
    worst = float(row("random_densities.md", "| 0 | 240 ")[-1])
    generator, found = np.random.default_rng(0), []
    for i in range(4):
        text = random_densities.composite(generator, 1 + i % 2, asymmetric=i % 4 >= 2)
        found.append(float(random_densities.ratios(text, generator.uniform(-3, 3, (5, 1 + i % 2))).max()))
    assert 0 < max(found) <= worst + 0.005


@pytest.mark.slow
def test_closed_densities_of_random_products() -> None:
    """The first of a seed."""
    (worst,) = re.findall(r"\*\*(\S+)\*\* \(the goal", read("closed_densities.md"))
    assert closed_accuracy.run(1, 101) <= float(worst)


@pytest.mark.long
def test_means_of_random_specs() -> None:
    """Of eight specs, all methods."""
    cells = row("random_specs.md", "| all |")
    generator = np.random.default_rng(0)
    found = [
        z for i, case in enumerate(random_specs.drawn(8, 0)) for _, z in random_specs.scores(case, i, generator) if z
    ]
    assert len(found) >= 8
    assert max(map(abs, found)) <= float(cells[3])


@pytest.mark.slow
def test_verdicts_with_known_answers() -> None:
    """As many kernels as the table counts, and what is said of the first of each number of columns."""
    known, asked = Counter[int](), Counter[str]()
    for text, dim, expected, _ in known_cases():
        if not known[dim]:
            asked[verdicts.asked(text, dim, expected == "proved").word] += 1
        known[dim] += 1
    for dim, count in known.items():
        cells = row("verdicts.md", f"| by hand, {dim} column")
        assert (int(cells[1]), cells[4]) == (count, "0")
    assert asked == {"right": len(known)}
    distances = [case for case in tie_cases() if not re.search(r"1e-(12|16|20|25|30)", case.text)]
    assert int(row("verdicts.md", "| distance 0: the ties")[1]) == len(distances)


@pytest.mark.slow
def test_specs_through_the_front_door() -> None:
    """The first case."""
    assert row("front_door.md", "| 2,000 |")[2] == "0"
    assert not judged(0, SHARES)["faults"]


@pytest.mark.slow
def test_mutated_inputs(tmp_path: Path) -> None:
    """The first texts and specs of a seed."""
    for name in ("texts: parsed and printed", "specs: analysed"):
        assert row("fuzzing.md", f"| {name.replace('analysed', 'analyzed')} ")[4] == "0"
        for number in range(2):
            TARGETS[name].check(case_of(TARGETS[name], name, 0, number), tmp_path)


@pytest.mark.long
def test_links_of_a_directed_graph() -> None:
    """The first trial of the shifted kernel."""
    text = read("asymmetric.md")
    spreads = [
        tuple(map(float, pair))
        for pair in re.findall(
            r"\[([\d.]+), ([\d.]+)\]", "|".join(row("asymmetric.md", "| shift | one for each of 512"))
        )
    ]
    if f"SymPy {sympy.__version__}" not in text:
        pytest.skip("the table is of another version of SymPy")
    graph = graph_of(Path(sympy.__file__).parent)
    for found, (low, high) in zip(areas("shift", graph, 0, crossed=False), spreads, strict=True):
        assert low - 0.0005 <= found <= high + 0.0005


@pytest.mark.long
def test_classes_of_wide_sparse_texts(script: Callable[[str], Any]) -> None:
    """A linear model; other versions of the packages that the texts are of have other texts."""
    wide = script("wide_sparse")
    X, y, learns = wide.texts(20_000)
    accuracy = 100 * float(np.mean(wide.linear(X[learns], y[learns], X[~learns]) == y[~learns]))
    assert accuracy == pytest.approx(float(row("wide_sparse.md", "| `LinearSVC`")[1]), abs=1)


@pytest.mark.long
def test_a_model_of_a_million_rows(script: Callable[[str], Any], tmp_path: Path) -> None:
    """The smallest of the table: with other landmarks, five seeds have .8156 to .8202."""
    one_pass = script("one_pass")
    one_pass.fitted([one_pass.written(tmp_path / "part-000.parquet", 0)], tmp_path / "model.npz")
    X, y = next(one_pass.blocks([one_pass.written(tmp_path / "held-out.parquet", 1_000_000)], 500_000))
    error = one_pass.root_mean_square(ks.load_model(tmp_path / "model.npz").predict(one_pass.named(X)) - y)
    assert error == pytest.approx(float(row("one_pass.md", "| `fit --stream` | 1,000,000")[4].split()[-1]), abs=0.006)


@pytest.mark.long
def test_an_audited_library() -> None:
    """The variance of RBFSampler, in the interval that was stored."""
    text = read("audit.txt")
    if f"scikit-learn {version('scikit-learn')}" not in text:
        pytest.skip("the file is of another version of scikit-learn")
    (line,) = [line for line in text.splitlines() if "RBFSampler" in line]
    low, high = numbers(line.partition("variance")[2])[1:]
    X = np.random.default_rng(0).standard_normal((2, 3))
    squared, found = float(np.square(X[0] - X[1]).sum()), []
    for seed in range(2_000):
        Z = RBFSampler(gamma=0.5, n_components=1, random_state=seed).fit_transform(X)
        found.append(float(Z[0] @ Z[1]))
    assert low <= np.var(found) / (1 + np.exp(-2 * squared) / 2 - np.exp(-squared)) <= high


# -- with data ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_ridge_regression_on_fourier_features(script: Callable[[str], Any]) -> None:
    """The first map of Table 1 of Rahimi and Recht, and the linear model."""
    folder = data_of("cpu_act")
    ridge = script("fourier_ridge")
    data, cells = ridge.data_of("cpu_act", folder), row("fourier.md", "| cpu_act | fourier |")
    features = ridge.features_of("fourier", float(cells[2]), data, ridge.TABLE["cpu_act"], 0)
    _, low, high = numbers(cells[4])
    assert low - 0.005 <= ridge.error_of(data, features, float(cells[3])) <= high + 0.005
    cells = row("fourier.md", "| cpu_act | linear, no intercept |")
    assert rounded(ridge.error_of(data, lambda X: X, float(cells[3])), cells[4])


@pytest.mark.slow
def test_errors_of_binning_and_fourier_features(script: Callable[[str], Any]) -> None:
    """Predicted ones of all three maps with 64 nonzeros per row, of 1,000 rows of cadata."""
    folder = data_of("california_housing")
    frobenius = script("frobenius")
    X, scale = frobenius.rows_of("cadata", folder, "[0, 1]", 1000)
    found = re.findall(r"^\| cadata \| 16 .*\n\| \| 64 \| (.*)", read("polya.md"), re.MULTILINE)
    for method, cell in zip(("phase", "paired", "binning"), found[0].split("|"), strict=False):
        fmap = ks.compile(f"laplace(scale={scale:.4g})", X.shape[1], 64, method=method)
        Y = X[: frobenius.MOST_COMPARISONS // (64 * len(X))]
        assert rounded(fmap.predicted_error(X, Y, hashed=False), cell.split(",")[0].strip())


@pytest.mark.slow
def test_a_machine_with_the_minmax_kernel(script: Callable[[str], Any]) -> None:
    """All 210 training rows of segment, columns as found."""
    folder = data_of("segment")
    svm = script("minmax_svm")
    data = svm.load_rows("segment", folder, 1500)
    spec = ks.parse("minmax()")
    grid = svm.Grid(1500, (0.1, 1, 10, 100, 1000), (), (), 1)
    found = svm.kernel_svm(spec.gram(data.X), spec.gram(data.X_test, data.X), data, grid)
    assert rounded(max(found.values()), row("minmax.md", "| segment¹ |")[5])


@pytest.mark.long
def test_columns_planned_for_an_error(script: Callable[[str], Any]) -> None:
    """Two per cent on california_housing."""
    folder = data_of("california_housing")
    planner = script("planner")
    cells = row("planner.md", "| california_housing | 3,608")
    pool, _ = planner.rows_of("california_housing", folder)
    scale = float(np.median(planner.pdist(pool[:1_000])))
    fmap = ks.compile(f"gaussian(scale={scale!r})", data=pool, n_features="auto", error=planner.TARGET)
    assert fmap.n_columns == int(cells[3])


@pytest.mark.slow
def test_a_plan_states_its_error(script: Callable[[str], Any]) -> None:
    """Min-max keys on california_housing, on the rows of the plan and on others."""
    folder = data_of("california_housing")
    planner = script("planner_cells")
    cells = row("planner_cells.md", "| california_housing | min-max | gcws | 0.0525")
    X, new = planner.rows_of("california_housing", folder)
    for kind, spec, rows, others in planner.cells(X, new):
        if kind == "min-max":
            fmap = ks.compile(spec, data=rows, n_features=planner.COLUMNS)
            assert rounded(float(fmap.plan.chosen.error), cells[3])
            assert rounded(fmap.predicted_error(others, hashed=True), cells[4])


@pytest.mark.long
def test_errors_of_a_shallow_skeleton(script: Callable[[str], Any]) -> None:
    """Ten batches of images and budgets of 64 columns."""
    folder = data_of("cifar10_4k_1k")
    figures = script("skeleton_figures")
    data, spec = figures.images(folder), ks.parse(figures.SETTINGS["shallow"])
    chosen = [
        data.angles[np.random.default_rng(batch).choice(data.n_train, figures.BATCH, replace=False)]
        for batch in range(10)
    ]
    exact = np.stack([spec.gram(X) for X in chosen])
    asked, _ = figures._asked(spec, "varying", 64, 128)
    drawn = [ks.compile(spec, figures.DIM, asked, seed=seed, method="varying") for seed in range(10)]
    varying = np.stack([fmap.approximate(X) for fmap, X in zip(drawn, chosen, strict=True)])
    pairs = np.stack([figures._baseline("shallow", X, 64, seed, "paired") for seed, X in enumerate(chosen)])
    for name, found in (("varying", varying), ("baseline, pairs", pairs)):
        cells = row("skeleton.md", f"| shallow | 64 | {name} ")
        assert figures._measured(found, exact)[0] == pytest.approx(float(cells[4]), rel=0.02)


def test_every_cell_says_what_made_it(script: Callable[[str], Any]) -> None:
    """The table made of them has the command and the processor."""
    found = script("models").cells_in(RESULTS / "models.jsonl")
    assert len(found) > 100
    for cells in found.values():
        for cell in cells:
            assert re.fullmatch(r"[0-9a-f]{8}", cell["commit"])
            assert re.fullmatch(r"2026-\d\d-\d\d", cell["date"])


@pytest.mark.long
def test_a_model_beside_boosting(script: Callable[[str], Any]) -> None:
    """The smallest set."""
    folder = data_of("vowel")
    models = script("models")
    (cell,) = [own for own in models.cells_in(RESULTS / "models.jsonl")["vowel", "ours"] if own["split"] == 0]
    assert models.ours(models.split_of(folder, "vowel", 0))["score"] == pytest.approx(cell["score"], abs=0.015)
