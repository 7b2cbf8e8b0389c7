"""`python -m kernelspec`."""

from __future__ import annotations

from kernelspec.program import run

__all__: list[str] = []

if __name__ == "__main__":
    run()
