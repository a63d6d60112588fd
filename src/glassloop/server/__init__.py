"""The engine over HTTP: a native API, the dialects other clients speak, a page. Thin projections of the same stream."""
