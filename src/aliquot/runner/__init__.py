"""The runner: an evaluation file in, a run directory with every answer and its evidence out."""
