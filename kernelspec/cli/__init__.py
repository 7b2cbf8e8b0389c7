"""The command line: `kernelspec check | fmt | explain | show | features | verify | plot | catalogue | audit`.

Exit status: 0, 1 (the answer is no), 2 (usage or bad input), 130 (interrupted), 141 (nobody reads
the output any more).
"""

from __future__ import annotations

from kernelspec.cli.group import LazyGroup

__all__ = ["main"]

main = LazyGroup(
    "kernelspec",
    {
        "check": "kernelspec.cli.check:check",
        "fmt": "kernelspec.cli.check:fmt",
        "explain": "kernelspec.cli.explain:explain",
        "show": "kernelspec.cli.explain:show",
        "features": "kernelspec.cli.features:features",
        "verify": "kernelspec.cli.verify:verify",
        "plot": "kernelspec.cli.plot:plot",
        "catalogue": "kernelspec.cli.catalogue:catalogue",
        "audit": "kernelspec.cli.verify:audit",
    },
    """Kernels as text: their spectral measure, a proof of what they are, and the cheapest unbiased features for them.

    Exit status: 0; 1 if the answer is no; 2 for wrong usage or bad input.

    \b
    Example:
      kernelspec check -e "0.7*gaussian(scale=2) + 0.3*laplace()"
    """,
)
"""The `kernelspec` command. Each subcommand is imported when it is called, and imports what it needs when it runs."""
