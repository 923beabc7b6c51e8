"""Files read within bounds and written so that nothing acknowledged is lost."""
