"""What is claimed: findings, verdicts, the words and the machine-readable form."""
