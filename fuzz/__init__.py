"""Random damage to whatever Pliant reads, to see that it answers with a sentence: `make fuzz-files`; random robots, to
see that what has to hold of every robot does: `make fuzz-robots`."""
