"""Training of the embedded model's adapter: data, tuning and checks. Needs no part of the installed package to change."""
