"""Tests of the laboratory itself make false alarms on purpose: they are no part of the account."""

import pytest


@pytest.fixture(autouse=True)
def _outside(outside_the_ledger: None) -> None:
    pass
