"""What to draw, and how much of it: strata, predicted variance, budgets, and the plan that wins.

A plan holds all that a map is drawn from, in numbers.
"""
