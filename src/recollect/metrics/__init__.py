"""What the memory is worth, in figures: tracked metrics, experiments, weights that learn."""
