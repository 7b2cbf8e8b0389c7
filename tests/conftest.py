"""The suite runs under the ledger of the statistical laboratory."""

pytest_plugins = ["kernelspec.testing.plugin"]
