"""What was measured, and whether one run is better than another."""
