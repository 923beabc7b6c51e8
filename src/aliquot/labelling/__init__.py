"""The labelling page: what is drawn, who labels it, what they see, and what becomes of what they say."""
