"""Web panel: server-rendered pages for people to see and manage what is remembered."""
