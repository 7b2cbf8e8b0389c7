"""Planning: strata, predicted variance, budgets, and the best plan. A plan holds everything a map is drawn from."""
