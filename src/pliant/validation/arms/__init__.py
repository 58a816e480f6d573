"""Cases of soft arms: every rod model, CoG sections, braided chambers, the quasi-static arm and forces on it."""
