"""Measurements of other packages, each run by the Python of its own environment (.peers/<name>/), from benchmarks/:
`python -m peers.<name> <problem>` prints one line of JSON: figure -> number."""
