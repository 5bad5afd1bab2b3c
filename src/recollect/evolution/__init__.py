"""What runs at night: confidence follows use, what fades is archived, alike facts are merged."""
