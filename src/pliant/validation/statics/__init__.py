"""Cases of robots at rest: beams, frames and a hybrid arm against exact and published results."""
