"""`python -m glassloop` is `glassloop`."""

from glassloop.cli.main import main

if __name__ == "__main__":
    main()
