"""Properties checked where users come in: random specs on random tables, through the estimator and the command line."""
