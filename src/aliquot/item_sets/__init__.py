"""Item sets: named lists of items with references, bundled or the user's own."""
