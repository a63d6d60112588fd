"""Training of the embedded model's adapter: data, tuning and checks. No part of the installed package."""
