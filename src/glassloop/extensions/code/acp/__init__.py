"""The Agent Client Protocol: the code assistant in editors."""
