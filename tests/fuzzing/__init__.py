"""Random and hostile inputs: an error of our own, or a right answer, in bounded time."""
