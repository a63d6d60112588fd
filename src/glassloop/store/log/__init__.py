"""The log of turns: appending and reading events, their stored form, leases, redaction."""
