"""Evidence and statistics become findings: the design of the data decides the method."""
