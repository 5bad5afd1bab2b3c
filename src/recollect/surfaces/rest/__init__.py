"""The engine over HTTP: a request becomes one verb, an error one shape."""
