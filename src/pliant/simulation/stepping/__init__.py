"""One step of a robot, implicit or explicit, and marching with it through a stretch of time."""
