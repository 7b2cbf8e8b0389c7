"""Documents as TF-IDF, compared by min-max and classified: python examples/documents.py"""

from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

import kernelspec as ks

SUBJECTS = {
    "weather": "rain wind storm cloud sun frost snow heat front pressure sky fog",
    "kitchen": "bread salt oven pan butter flour onion soup knife pepper oil dough",
    "garden": "soil seed rain sun root leaf spade onion hedge apple frost worm",
}
COMMON = ["the", "a", "of", "and", "to", "in", "it", "is", "was", "for", "with", "on", "as", "by", "at", "from"]


def written(rng: np.random.Generator, subject: str) -> str:
    """Thirty words, two of them on the subject and four on any other."""
    own = rng.choice(SUBJECTS[subject].split(), 2)
    other = rng.choice(" ".join(SUBJECTS.values()).split(), 4)
    return " ".join(rng.permutation([*own, *other, *rng.choice(COMMON, 24)]))


def main() -> None:
    """Print the accuracy of a linear model on hash keys of 600 documents, and on their words."""
    rng = np.random.default_rng(0)
    labels = rng.choice(list(SUBJECTS), 900)
    rows = TfidfVectorizer().fit_transform([written(rng, label) for label in labels])
    spec = ks.load(Path(__file__).parent / "specs" / "documents.kernel")
    features = ks.compile(spec, dim=rows.shape[1], n_features=256)
    known, asked = slice(0, 600), slice(600, 900)
    for name, columns in (("keys", features.transform(rows)), ("words", rows)):
        model = LogisticRegression(C=10, max_iter=1000).fit(columns[known], labels[known])
        entries = columns.nnz / len(labels)
        print(f"{name}: {entries:.0f} entries a document, accuracy {model.score(columns[asked], labels[asked]):.2f}")


if __name__ == "__main__":
    main()
