"""Will it fit: from what was asked to an estimate, a verdict, and what would change it."""
