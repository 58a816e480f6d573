"""What run.py is made of, and what cases and peers share. Nothing here imports JAX or Pliant: the process that starts
the measurements stays small, because a child's peak memory counts from the size of the process that forked it."""
