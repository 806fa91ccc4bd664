"""Work that runs apart from the server: jobs, workers and their tasks."""
