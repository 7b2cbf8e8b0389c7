"""`python -m kernelspec`."""

from __future__ import annotations

from kernelspec.cli import main

__all__: list[str] = []

if __name__ == "__main__":
    main(prog_name="kernelspec")
