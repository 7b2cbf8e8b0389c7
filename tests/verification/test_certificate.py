"""What a certificate says, in words and as data."""

from __future__ import annotations

import json

import numpy as np

import kernelspec as ks

X = np.random.default_rng(7).standard_normal((40, 2))


def test_the_certificate_says_what_was_done():
    options = {"seed": 3, "n_maps": 60, "n_features": 3200, "budget": 1e-4, "max_rows": 10}
    certificate = ks.verify("gaussian(scale=2)", X, draws="independent", **options)
    text = str(certificate)
    assert "gaussian(scale=2)" in text
    assert "60 independent maps of at most 3200 stored entries a row, from seed 3" in text
    assert "1e-04" in text
    assert len(certificate.rows_x) == 10
    data = json.loads(json.dumps(certificate.to_dict(), allow_nan=False))
    assert data["passed"] is True
    assert data["n_tests"] == certificate.n_tests
    assert [check["method"] for check in data["checks"]] == ["paired", "phase", "complex"]
    assert data["checks"][0]["n_exact"] == 10
    assert set(certificate.checks[0].worst_z_pair) <= set(certificate.rows_x)


def test_what_was_not_tested_is_none_and_nothing_tested_is_no_pass():
    from dataclasses import replace

    certificate = ks.verify("gaussian() - gaussian()", dim=2)
    check = certificate.checks[0]
    assert check.worst_z is check.variance_ratio is check.worst_ratio_pair is None
    assert json.loads(json.dumps(check.to_dict(), allow_nan=False))["worst_z"] is None
    assert check.passed
    assert not replace(check, n_exact=0).passed
    assert not replace(certificate, checks=(replace(check, n_exact=0),)).passed


def test_rows_of_both_tables_are_named():
    text = str(ks.verify("gaussian()", X, X[:3], n_maps=50, max_rows=6, method="phase"))
    assert "against rows 0 to 2 of Y" in text
    assert "standard normal rows" in str(ks.verify("gaussian()", dim=2, n_maps=50, max_rows=6, method="phase"))
