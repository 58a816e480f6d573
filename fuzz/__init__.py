"""Random damage to whatever Pliant reads, to see that it answers with a sentence: `make fuzz-files`. Processes that are
killed at random moments, to see that nothing is lost: `make fuzz-faults`."""
