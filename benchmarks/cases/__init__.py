"""Measurements of Pliant. Each module is run in its own process, `python -m cases.<name>` from benchmarks/, and prints
one line of JSON: figure -> number."""

import pliant

pliant.configure()
