"""Bad input of every kind: each case ends in a KernelspecError or a right answer, in bounded time and memory.

`mutation` makes texts and bytes out of good ones, `invariant` says what may come of them. `texts`, `tables`,
`crafted_maps` and `command_lines` are what is fuzzed, each with its check; `campaign` makes their cases, few of them in
every test run, and `long_run` a million. What was found once is kept in `test_found`.
"""
