"""What is tried at random: damage to whatever Pliant reads (`make fuzz-files`), robots and what has to hold of each
(`make fuzz-robots`), processes that are killed (`make fuzz-faults`), steps that are too long (`make fuzz-steps`)."""
