"""The mistakes. Adding one is one line in the file of its room, with a function where it takes more than a line."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tests.mutants.kernels import IN_DISTRIBUTIONS, IN_KERNELS
from tests.mutants.laws import IN_LAWS, TOO_SMALL
from tests.mutants.maps import IN_MAPS
from tests.mutants.mutant import Mutant

__all__ = ["LIVING", "MUTANTS"]

MUTANTS: Mapping[str, Mutant] = MappingProxyType({**IN_KERNELS, **IN_DISTRIBUTIONS, **IN_LAWS, **IN_MAPS})
"""What must die: each caught by random specs that have its part, within the examples of `test_mutants`."""

LIVING: Mapping[str, Mutant] = TOO_SMALL
"""What these tests do not find, said so in docs/internals/mistakes.md."""
