"""Advice for small models by plain rules: `advisor.RuleAdvisor`, not imported here, to stay light."""
