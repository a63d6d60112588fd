"""From what a model gives (areas, periods, categories, names) to conditions of SQL, each value a parameter."""
