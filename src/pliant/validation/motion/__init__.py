"""Cases of robots that move: conserved quantities, frequencies, steppers, other tools."""
