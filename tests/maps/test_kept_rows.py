"""Saving a map says that rows of the data are in the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.maps.landmarks import KeptRowsWarning, kept_rows_shown

X = np.random.default_rng(0).standard_normal((80, 2))


def test_saving_warns_of_rows_of_the_data_alone(tmp_path: Path) -> None:
    assert ks.KeptRowsWarning is KeptRowsWarning
    anchored = ks.compile("gaussian()", data=X, n_features=16, method="nystrom")
    with pytest.warns(KeptRowsWarning, match="holds 16 rows of the data, its anchors; anchors='never'") as found:
        anchored.save(tmp_path / "map.npz")
    assert [warning.filename for warning in found] == [__file__]
    without = ks.compile("gaussian()", data=X, n_features=16, anchors="never")
    assert kept_rows_shown(without.plan) is None
    without.save(tmp_path / "map.npz")  # warnings are errors here
