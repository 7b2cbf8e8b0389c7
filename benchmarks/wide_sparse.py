"""Features of 20,000 texts with 50,000 terms: python benchmarks/wide_sparse.py [--rows N] [--markdown FILE]

The texts are pieces of 20 lines of the Python sources of installed packages, their terms those of TF-IDF, and the class
is the package. For each kernel, seconds of CPU time in a process of its own to plan, draw and transform all rows to 512
features, and its peak memory. Then the accuracy of `KernelClassifier` with these features, of `LinearSVC` on the terms,
and of a support vector machine with exact values of `rbf_cosine()` on 5,000 rows, on pieces of files that none has
learned from.
"""

from __future__ import annotations

import argparse
import importlib.util
import resource
import sys
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray
from provenance import made_by
from scipy import sparse

import kernelspec as ks

__all__ = ["main"]

PACKAGES = ("sympy", "scipy", "sklearn", "pandas", "matplotlib", "numpy", "numba", "mpmath", "dask", "distributed")
SPECS = ("gaussian()", "rbf_cosine()", "minmax()", "linear()")
TERMS, FEATURES, LINES, MOST_SECONDS, EXACT_ROWS = 50_000, 512, 20, 20, 5_000


def main() -> None:
    """Print a table, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    lines = []
    for line in _lines(options.rows):
        print(line, flush=True)
        lines.append(line)
    if options.markdown is not None:
        options.markdown.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _lines(n_rows: int) -> Iterator[str]:
    X, y, learns = texts(n_rows)
    yield f"# Wide sparse tables\n\n{made_by()}\n"
    n, width = X.shape
    yield f"{n:,} rows, {width:,} columns, {X.nnz / n:.0f} nonzeros a row, {len(PACKAGES)} classes.\n"
    yield f"| kernel | CPU, s (at most {MOST_SECONDS} asked) | peak, MB (before) |\n|---|---|---|"
    for spec in SPECS:
        with get_context("spawn").Pool(1) as pool:
            seconds, before, peak = pool.apply(features_of, (spec, X))
        yield f"| `{spec}` | {seconds:.1f} | {peak:.0f} ({before:.0f}) |"
    yield "\n| classifier | accuracy, % | CPU, s |\n|---|---|---|"
    for name, learn in (("`LinearSVC`", linear), (f"`SVC`, exact `rbf_cosine()`, {EXACT_ROWS:,} rows", exact)):
        began = process_time()
        right = learn(X[learns], y[learns], X[~learns]) == y[~learns]
        yield f"| {name} | {100 * right.mean():.1f} | {process_time() - began:.1f} |"
    for spec in SPECS[:3]:
        began = process_time()
        model = ks.KernelClassifier(spec, n_features=FEATURES, random_state=0).fit(X[learns], y[learns])
        right, seconds = model.predict(X[~learns]) == y[~learns], process_time() - began
        yield f"| `KernelClassifier({spec!r}, n_features={FEATURES})` | {100 * right.mean():.1f} | {seconds:.1f} |"


def texts(n_rows: int) -> tuple[sparse.csr_array, NDArray[np.str_], NDArray[np.bool_]]:
    """Rows of TF-IDF, packages, and which rows are for learning: four files of five."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    found: list[tuple[str, str, bool]] = []
    for package in PACKAGES:
        origin = importlib.util.find_spec(package)
        assert origin is not None
        assert origin.origin is not None
        for number, file in enumerate(sorted(Path(origin.origin).parent.rglob("*.py"))):
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
            pieces = ["\n".join(lines[i : i + LINES]) for i in range(0, len(lines), LINES)]
            # the name of the package is not a term
            found += [(piece.replace(package, " "), package, number % 5 != 0) for piece in pieces]
    order = np.random.default_rng(0).permutation(len(found))[:n_rows]
    pieces, packages, learns = zip(*(found[i] for i in order), strict=True)
    vectorizer = TfidfVectorizer(max_features=TERMS, token_pattern=r"\w+|[^\w\s]+", ngram_range=(1, 2))
    X = sparse.csr_array(vectorizer.fit_transform(pieces))
    kept = np.diff(X.indptr) > 0  # a row of zeros has no direction
    return X[kept], np.array(packages)[kept], np.array(learns)[kept]


def features_of(spec: str, X: sparse.csr_array) -> tuple[float, float, float]:
    """Seconds of CPU time, and megabytes before and at the peak."""
    ks.compile(spec, data=X[:300], n_features=16).transform(X[:300])  # loops are compiled once for a machine
    before, began = memory(), process_time()
    ks.compile(spec, data=X, n_features=FEATURES).transform(X)
    return process_time() - began, before, memory()


def memory() -> float:
    """The peak so far in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def linear(X: sparse.csr_array, y: NDArray[np.str_], others: sparse.csr_array) -> NDArray[np.str_]:
    """Predictions of a linear support vector machine."""
    from sklearn.svm import LinearSVC

    return np.asarray(LinearSVC(random_state=0).fit(X, y).predict(others))


def exact(X: sparse.csr_array, y: NDArray[np.str_], others: sparse.csr_array) -> NDArray[np.str_]:
    """Predictions of a support vector machine on kernel values of the first rows."""
    from sklearn.svm import SVC

    spec, X, y = ks.parse("rbf_cosine()"), X[:EXACT_ROWS], y[:EXACT_ROWS]
    return np.asarray(SVC(kernel="precomputed").fit(spec.gram(X), y).predict(spec.gram(others, X)))


if __name__ == "__main__":
    main()
