"""Groups of parts that share columns."""

from __future__ import annotations

from kernelspec.measures.convolution import Convolution, independent_blocks, support, without_embedding
from kernelspec.measures.mixture import Embedding
from kernelspec.measures.spectral import Spectral
from tests.measures import oracles as o


def parts_of(text: str, dim: int) -> tuple:
    measure = o.measure_of_text(text, dim)
    assert isinstance(measure, Convolution)
    return measure.parts


def test_support() -> None:
    assert support(o.measure_of_text("gaussian()[2, 0]", 4)) == (2, 0)
    assert support(o.measure_of_text("gaussian()", 3)) == (0, 1, 2)


def test_disjoint_columns_are_blocks_of_their_own() -> None:
    blocks = independent_blocks(parts_of("gaussian()[0]*laplace()[2]*cauchy()[1]", 3))
    assert sorted(columns for columns, _ in blocks) == [(0,), (1,), (2,)]
    assert all(isinstance(part, Spectral) for _, (part,) in blocks)


def test_a_chain_of_overlaps_is_one_block() -> None:
    blocks = independent_blocks(parts_of("gaussian()[0, 1]*laplace()[1, 2]*cauchy()[4]*exponential()[2, 3]", 5))
    assert sorted(columns for columns, _ in blocks) == [(0, 1, 2, 3), (4,)]
    (chain,) = [parts for columns, parts in blocks if len(columns) == 4]
    assert sorted(part.positions for part in chain) == [(0, 1), (1, 2), (2, 3)]
    assert all(isinstance(part, Embedding) and part.space == 4 for part in chain)


def test_positions_are_counted_inside_the_block() -> None:
    ((columns, parts),) = independent_blocks(parts_of("gaussian()[3, 1]*laplace()[1, 3]", 5))
    assert columns == (1, 3)
    # laplace selects the block's columns in their order, and gaussian the other way round
    assert any(isinstance(part, Spectral) for part in parts)
    assert any(isinstance(part, Embedding) and part.positions == (1, 0) for part in parts)


def test_a_measure_without_its_embedding() -> None:
    (embedded, whole) = parts_of("gaussian()[2, 0]*laplace()", 4)
    assert without_embedding(embedded) == o.measure_of_text("gaussian()", 2)
    assert without_embedding(whole) is whole
