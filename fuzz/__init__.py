"""Random damage to whatever Pliant reads, to see that it answers with a sentence: `make fuzz-files`."""
