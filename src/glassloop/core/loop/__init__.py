"""The loop: one turn through its phases, its state, its policy, and how it is interrupted."""
