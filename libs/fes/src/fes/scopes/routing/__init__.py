"""Three routers with one meaning: the definition, figure 8's graph, and the compiled form."""
