"""What `kernelspec explain` prints: a screen, and below it the layers that were asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts
    from kernelspec.maps.analysis import Analysis
    from kernelspec.maps.feature_map import FeatureMap

__all__ = ["Layers", "layer_options"]


@dataclass(frozen=True)
class Layers:
    """Which layers are printed: all facts in full, or a screen, and with it variances, plans, measurements."""

    variance: bool = False
    plans: bool = False
    analyze: bool = False
    everything: bool = False

    def text(
        self,
        facts: Facts,
        plan: FeatureMap | None,
        why_no_plan: str | None,
        predicted: str | None,
        analysis: Analysis | None,
    ) -> str:
        """The report; `predicted` is a line about the rows of DATA, `why_no_plan` why there is none where that is no
        mistake."""
        if self.everything:
            lines = [facts.report(), *(["", plan.explain()] if plan is not None else [])]
        else:
            lines = [*self._screen(facts, plan)]
        lines += [] if why_no_plan is None else ["", f"no plan: {why_no_plan}"]
        lines += [] if predicted is None else [f"  {predicted}"]
        if not self.everything:
            lines += self._below(facts, plan)
        return "\n".join(lines if analysis is None else [*lines, "", str(analysis)])

    def _screen(self, facts: Facts, plan: FeatureMap | None) -> Iterator[str]:
        from kernelspec.analysis.reports.overview import overview
        from kernelspec.planning.explain import plan_in_brief

        yield from overview(facts)
        if plan is not None:
            yield from plan_in_brief(plan.plan, plan.n_columns if plan.has_columns else None)

    def _below(self, facts: Facts, plan: FeatureMap | None) -> Iterator[str]:
        from kernelspec.analysis.reports.overview import variance_lines

        if self.variance:
            yield from ["", *variance_lines(facts)]
        if self.plans and plan is not None:
            yield from ["", plan.explain()]
        if not (self.variance or self.plans or self.analyze):
            yield "more: --variance, --plans, --analyze (with DATA), --all"


def layer_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name layers to a command, as its one argument `layers`, a Layers."""

    # click hands over every option as a keyword: these are taken out, the others belong to the command
    @wraps(command)
    def _call(*arguments: Any, variance: bool, plans: bool, analyze: bool, everything: bool, **others: Any) -> Any:
        return command(*arguments, layers=Layers(variance, plans, analyze, everything), **others)

    with_options: Callable[..., Any] = _call
    for option in (
        click.option("--all", "everything", is_flag=True, help="All facts with their reasons, and the plan in full."),
        click.option(
            "--analyze", is_flag=True, help="Measure every part of the plan on DATA, beside what it promised."
        ),
        click.option("--plans", is_flag=True, help="Below the screen the plan in full, and those that lost."),
        click.option("--variance", is_flag=True, help="Below the screen the variance of every way to sample."),
    ):
        with_options = option(with_options)
    return with_options
