"""What is asked for and how far it got."""
