"""REST API: the engine over HTTP. A request calls one verb; every error has one format."""
