"""Which module imports which: python benchmarks/link_prediction.py [--trials N]

An application that needs asymmetry, as in the future work of He, He, Liu and Huang (2022): links of a directed graph,
the imports between the modules of SymPy as installed. A module is known by its file alone: depth, size, numbers of
classes, functions and lines of documentation, and eight components of the words in its path. Half of the imports, with
as many random pairs that are none, train a bilinear model Σ_j w_j l_j(u) r_j(v), logistic regression on products of
features. Two areas under the ROC curve on the other half: of imports against random pairs, and of imports against the
same pairs turned round, where a symmetric model can only guess.

Models, with equal numbers of columns: features of a Gaussian kernel on both sides; left and right features of the
asymmetric kernels of the paper; each with a weight per column, or with a matrix of weights between all columns of fewer
(which makes symmetric features asymmetric, too). Medians, least and largest over the trials, which divide the imports
anew and draw new features.
"""

from __future__ import annotations

import argparse
import ast
import statistics
from pathlib import Path
from typing import NamedTuple

import numpy as np
import sympy
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

import kernelspec as ks

COLUMNS, CROSSED, WORDS = 512, 32, 8
KERNELS = {
    "gaussian": "gaussian(scale=3)",
    "shift": "shift_gaussian(scale=3, by=1)",
    "sinh": "sinh_gaussian(scale=3, by=0.2)",
}
DIRECTED_KERNELS = ("shift", "sinh")


class Graph(NamedTuple):
    """Columns of the modules, (modules, columns), and pairs (importing, imported)."""

    modules: NDArray[np.float64]
    imports: NDArray[np.intp]


def graph_of(package: Path) -> Graph:
    """The modules of a package without its tests, and their imports of each other."""
    files = sorted(path for path in package.rglob("*.py") if "tests" not in path.parts)
    names = [".".join(path.relative_to(package.parent).with_suffix("").parts) for path in files]
    place = {name.removesuffix(".__init__"): i for i, name in enumerate(names)}
    trees = [ast.parse(path.read_bytes()) for path in files]
    imports = {
        (i, place[target])
        for i, (name, tree) in enumerate(zip(names, trees, strict=True))
        for target in _targets(name, tree)
        if target in place and place[target] != i
    }
    words = TfidfVectorizer(token_pattern=r"[a-z]+").fit_transform(name.replace("_", ".") for name in names)
    numbers = [
        [name.count("."), name.endswith("__init__"), *np.log1p(_counts(tree))]
        for name, tree in zip(names, trees, strict=True)
    ]
    columns = np.hstack([np.array(numbers, dtype=float), TruncatedSVD(WORDS, random_state=0).fit_transform(words)])
    return Graph(StandardScaler().fit_transform(columns), np.array(sorted(imports)))


def _targets(name: str, tree: ast.AST) -> set[str]:
    """Names that may be modules, of all imports in a module."""
    folder, found = name.split(".")[:-1], set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = folder[: len(folder) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            found |= {source, *(f"{source}.{alias.name}" for alias in node.names)}
    return found


def _counts(tree: ast.Module) -> list[int]:
    kinds = [type(node) for node in ast.walk(tree)]
    documented = len((ast.get_docstring(tree) or "").splitlines())
    return [len(kinds), kinds.count(ast.ClassDef), kinds.count(ast.FunctionDef), kinds.count(ast.Call), documented]


class Pairs(NamedTuple):
    """Pairs of modules (n, 2), and whether the first imports the second."""

    pairs: NDArray[np.intp]
    labels: NDArray[np.bool_]


def _beside(imports: NDArray[np.intp], others: NDArray[np.intp]) -> Pairs:
    return Pairs(np.vstack([imports, others]), np.arange(len(imports) + len(others)) < len(imports))


def split(graph: Graph, generator: np.random.Generator) -> tuple[Pairs, Pairs, Pairs]:
    """Training pairs; the other imports beside random pairs; and beside themselves turned round."""
    imports, known = generator.permutation(graph.imports), set(map(tuple, graph.imports.tolist()))
    drawn = generator.integers(len(graph.modules), size=(4 * len(imports), 2))
    none = np.array([(u, v) for u, v in drawn.tolist() if u != v and (u, v) not in known])[: len(imports)]
    half = len(imports) // 2
    rest = imports[half:]
    one_way = np.array([(u, v) for u, v in rest.tolist() if (v, u) not in known])
    return _beside(imports[:half], none[:half]), _beside(rest, none[half:]), _beside(one_way, one_way[:, ::-1])


def products(kernel: str, graph: Graph, seed: int, *, crossed: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Left and right columns whose products are the inputs of the model; all pairs of columns, if crossed."""
    size = CROSSED if crossed else COLUMNS
    fmap = ks.compile(KERNELS[kernel], graph.modules.shape[1], size, seed=seed)
    left, right = np.asarray(fmap.left(graph.modules)), np.asarray(fmap.right(graph.modules))
    if crossed:
        left, right = np.repeat(left, right.shape[1], axis=1), np.tile(right, (1, left.shape[1]))
    return left * np.sqrt(len(left.T)), right * np.sqrt(len(right.T))


def areas(kernel: str, graph: Graph, seed: int, *, crossed: bool) -> tuple[float, float]:
    """The areas under the ROC curve: against random pairs, and against pairs turned round."""
    train, others, turned = split(graph, np.random.default_rng(seed))
    left, right = products(kernel, graph, seed, crossed=crossed)

    def inputs(pairs: NDArray[np.intp]) -> NDArray[np.float64]:
        return left[pairs[:, 0]] * right[pairs[:, 1]] / (np.sqrt(left.shape[1]) if crossed else 1)

    model = LogisticRegression(C=0.1, solver="newton-cholesky").fit(inputs(train.pairs), train.labels)
    against_random, against_turned = (
        roc_auc_score(of.labels, model.decision_function(inputs(of.pairs))) for of in (others, turned)
    )
    return float(against_random), float(against_turned)


def main() -> None:
    """Print the areas in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=5)
    options = parser.parse_args()
    from provenance import made_by  # beside this file, not on the path of the tests

    print(made_by(), end="\n\n")
    graph = graph_of(Path(sympy.__file__).parent)
    print(f"SymPy {sympy.__version__}: {len(graph.modules):,} modules, {len(graph.imports):,} imports\n")
    print("| features | weights | imports against random pairs | against the same turned round |\n|---|---|---|---|")
    for crossed in (False, True):
        for kernel in KERNELS:
            found = [areas(kernel, graph, seed, crossed=crossed) for seed in range(options.trials)]
            cells = [
                f"{statistics.median(each):.3f} [{min(each):.3f}, {max(each):.3f}]" for each in zip(*found, strict=True)
            ]
            weights = f"{CROSSED} × {CROSSED}" if crossed else f"one for each of {COLUMNS}"
            print(f"| {kernel} | {weights} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
