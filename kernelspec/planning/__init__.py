"""What to draw, and how much of it: strata, predicted variance, budgets, and the plan that wins."""
