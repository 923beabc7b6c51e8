"""One module a command: the only place that composes rooms."""
