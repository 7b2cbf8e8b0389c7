"""The command line: `kernelspec check | fmt | explain | show | features | tune | fit | predict | verify | plot | …`.

Exit status: 0, 1 (the answer is no), 2 (usage or bad input), 70 (a bug), 130 (interrupted), 141 (nobody reads the
output any more).
"""

from __future__ import annotations

from kernelspec.cli.group import LazyGroup

__all__ = ["main"]

main = LazyGroup(
    "kernelspec",
    {
        "check": "kernelspec.cli.check:check",
        "fmt": "kernelspec.cli.check:fmt",
        "explain": "kernelspec.cli.check:explain",
        "report": "kernelspec.cli.report:report",
        "show": "kernelspec.cli.check:show",
        "features": "kernelspec.cli.features:features",
        "gram": "kernelspec.cli.features:gram",
        "suggest": "kernelspec.cli.models:suggest",
        "tune": "kernelspec.cli.models:tune",
        "fit": "kernelspec.cli.models:fit",
        "predict": "kernelspec.cli.models:predict",
        "verify": "kernelspec.cli.verify:verify",
        "plot": "kernelspec.cli.catalogue:plot",
        "catalogue": "kernelspec.cli.catalogue:catalogue",
        "audit": "kernelspec.cli.verify:audit",
    },
    """Kernels as text: their spectral measure, a proof of what they are, and the cheapest unbiased features for them.

    Exit status: 0 for success, 1 if the answer is no, 2 for wrong usage or bad input, 70 for a bug.

    \b
    Example:
      kernelspec check -e "0.7*gaussian(scale=2) + 0.3*laplace()"
    """,
)
"""The `kernelspec` command. Each subcommand is imported when it is called, and imports what it needs when it runs."""
