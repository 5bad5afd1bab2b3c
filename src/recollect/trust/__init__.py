"""Trust: access control, secret scanning, and the injection check."""
