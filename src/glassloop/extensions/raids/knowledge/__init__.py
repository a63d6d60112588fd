"""Knowledge of the game: `load_knowledge()` reads the files once; see `facts` for what there is."""
