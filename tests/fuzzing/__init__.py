"""Bad input of every kind: each case ends in a KernelspecError or a right answer, in bounded time and memory.

`mutation` makes texts and bytes out of good ones, `invariant` says what may come of them, `campaign` runs a target for
as many cases as the profile asks. The targets: `test_texts` (parse, analyze, compile), `test_tables` (every reader) and
`test_command_line`. Maps from strangers, `load_map`, belong into a `test_maps` beside them. What was found once is kept
in `test_found`.
"""
