"""The words of the engine: frozen values and the error tree. Nothing here knows any other room."""
