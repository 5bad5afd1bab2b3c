"""The table of the job queue, for the package jobs."""
