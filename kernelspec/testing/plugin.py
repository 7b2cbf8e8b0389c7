"""The pytest plugin: one budget of false alarms for a run, what it was spent on, and what random specs covered.

Opt in with `-p kernelspec.testing.plugin`, or `pytest_plugins = ["kernelspec.testing.plugin"]` in the topmost
conftest.py. It opens a ledger for the whole run, prints its account, and fails a run that has overspent. `--thorough`
asks for the long version of the tests, `--false-alarms` for another budget.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from kernelspec.testing.ledger import BUDGET, Ledger
from kernelspec.testing.samples import Coverage

__all__ = ["ledger", "outside_the_ledger", "spec_coverage", "thorough"]

_LEDGER = pytest.StashKey[Ledger]()
_COVERAGE = pytest.StashKey[Coverage]()
_ENTERED = "kernelspec_laboratory"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the laboratory."""
    group = parser.getgroup("kernelspec", "the statistical laboratory")
    group.addoption("--thorough", action="store_true", help="Run the long version of the tests.")
    group.addoption(
        "--false-alarms", type=float, default=BUDGET, metavar="P", help="Chance that any test of the run fails wrongly."
    )
    group.addoption(
        "--draw-seed", type=int, default=0, metavar="N", help="Other random specs and draws in all assertions.  [0]"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Open the ledger of the run."""
    config.stash[_LEDGER] = Ledger(budget=config.getoption("--false-alarms"), seed=config.getoption("--draw-seed"))
    config.stash[_COVERAGE] = Coverage()
    opened = ExitStack()
    opened.enter_context(config.stash[_LEDGER].open())
    config.add_cleanup(opened.close)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the account of a worker to the run, and fail a run that has overspent."""
    account, covered = session.config.stash[_LEDGER], session.config.stash[_COVERAGE]
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        counts = [[[list(k) if isinstance(k, tuple) else k, n] for k, n in c.items()] for c in vars(covered).values()]
        output[_ENTERED] = [account.spent, account.n_assertions, account.powers, counts]
    elif account.is_overspent and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Enter the account of a worker of pytest-xdist."""
    found = getattr(node, "workeroutput", {}).get(_ENTERED)
    if found is None:
        return
    account, covered = node.config.stash[_LEDGER], node.config.stash[_COVERAGE]
    spent, n_assertions, powers, counts = found
    account.spent += spent
    account.n_assertions += n_assertions
    for what, values in powers.items():
        account.powers.setdefault(what, []).extend(values)
    for own, entries in zip(vars(covered).values(), counts, strict=True):
        own.update({tuple(k) if isinstance(k, list) else k: n for k, n in entries})


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the account of the ledger, and the coverage of random specs if there were any."""
    account, covered = config.stash[_LEDGER], config.stash[_COVERAGE]
    if account.n_assertions:
        terminalreporter.section("statistical laboratory")
        for line in account.lines() + (covered.lines() if covered.drawn else []):
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def ledger(pytestconfig: pytest.Config) -> Ledger:
    """The ledger of the run."""
    return pytestconfig.stash[_LEDGER]


@pytest.fixture
def outside_the_ledger() -> Iterator[None]:
    """For tests of assertions themselves: they are entered nowhere, and get what they ask for."""
    with Ledger.closed():
        yield


@pytest.fixture(scope="session")
def spec_coverage(pytestconfig: pytest.Config) -> Coverage:
    """What the random specs of the run covered."""
    return pytestconfig.stash[_COVERAGE]


@pytest.fixture(scope="session")
def thorough(pytestconfig: pytest.Config) -> bool:
    """Whether the long version of the tests was asked for."""
    return bool(pytestconfig.getoption("--thorough"))
