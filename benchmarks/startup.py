"""Start-up, parsing and explaining: python benchmarks/startup.py

Processes are timed from outside, several times after a warm-up; parsing and explaining inside one process.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from provenance import made_by
from timing import medians, shown

TEN_NODES = "0.7*gaussian(scale=2) + 0.3*laplace(scale=3)"
TEN_KERNEL_NODES = (
    "0.5*gaussian(scale=2)*laplace()[0:2] + 0.3*matern(nu=3/2)**2 + 0.2*mean(cauchy(), triangle(width=3))"
)

TEN_KERNELS = (
    "gaussian(2)*laplace(3)*matern(3/2) + exponential()*cauchy()*rational_quadratic(2) + "
    "powered_exponential(1.5)*triangle(4) + sinc(2)*periodic(period=3, scale=1)",
    "gaussian(2)*laplace(3)*matern(3/2)*exponential()*cauchy()*rational_quadratic(2)*"
    "powered_exponential(1.5)*triangle(4)*sinc(2)*periodic(period=3, scale=1)",
    "mean(gaussian(), laplace(), matern(5/2), exponential(), cauchy())*"
    "mean(rational_quadratic(2), powered_exponential(1.5), triangle(), sinc(), periodic(period=1))",
    "stretch(modulate(gaussian()*laplace(), by=2)**3 + (matern(3/2) + cauchy())**2, 5)*(sinc() + triangle())**4",
    "param s > 0\nparam t > 0\ngaussian(s)*laplace(t)*matern(3/2, s) + exponential(s)*cauchy(t)*rational_quadratic(2)",
    "modulate(periodic(period=1)*cosine(by=2)*periodic(period=2)*cosine(by=3), by=1)*cosine(by=5)*gaussian()",
)


def processes(command: list[str], runs: int = 11) -> list[float]:
    """Wall seconds of a command, sorted, after one warm-up."""
    seconds = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        seconds.append(time.perf_counter() - start)
    return sorted(seconds[1:])


def main() -> None:
    """Print every figure with the limit it is held against; exit with 1 if one is exceeded."""
    print(made_by(), end="\n\n")
    failed = []

    def report(what: str, seconds: list[float], limit: float) -> None:
        median = statistics.median(seconds)
        print(f"{what:<58}{shown(seconds):<28} ms   limit {limit * 1e3:g} ms")
        if median > limit:
            failed.append(what)

    python = sys.executable
    report("python -c pass", processes([python, "-c", "pass"]), 10.0)
    report("import kernelspec", processes([python, "-c", "import kernelspec"]), 0.35)
    report(
        "import kernelspec, parse", processes([python, "-c", "import kernelspec as ks; ks.parse('gaussian()')"]), 0.6
    )
    check = [python, "-m", "kernelspec", "check", "-e", TEN_KERNEL_NODES]
    report("kernelspec check, ten kernel nodes", processes(check), 0.6)

    import kernelspec as ks
    from kernelspec.language.parser import parse_program

    texts = {10: TEN_NODES, 25: TEN_KERNEL_NODES}
    texts |= {n: " + ".join(["2*gaussian(scale=3)"] * (n // 5)) for n in (100, 1000, 10_000)}
    parsing = {str(n): lambda text=text: parse_program(text) for n, text in texts.items()}
    parsing["checked"] = lambda: ks.parse(TEN_NODES)
    seconds = medians(parsing, 15)
    for n in texts:
        each = statistics.median(seconds[str(n)]) / n * 1e6
        report(f"parse, {n} syntax nodes ({each:.1f} µs a node)", seconds[str(n)], max(n * 1e-4, 0.001))
    report("parse and check names and ranges, 10 nodes", seconds["checked"], 0.01)

    for text in TEN_KERNELS:
        for dim in (1, 3, None):
            start = time.perf_counter()
            facts = ks.analyze(text, dim)
            facts.report()
            facts.latex()
            report(f"explain, d={dim}: {text[:36].splitlines()[-1]}…", [time.perf_counter() - start], 3.0)
    print("exceeded: " + ", ".join(failed) if failed else "all within their limits")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
