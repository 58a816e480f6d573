"""Functions and steps of a robot as native code: called from Python, timed, or exported as C."""
