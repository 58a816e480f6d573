"""Cases against measurements: a tentacle, STIFF-FLOP modules, a fabric sleeve."""
