"""The raid analyst over the sample's guild, for evaluations."""
