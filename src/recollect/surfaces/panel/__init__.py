"""The web panel: pages made on the server, for people who look at what is remembered."""
