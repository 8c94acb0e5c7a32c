"""What a desktop client starts: `pinakes` with the arguments of the manifest."""

from pinakes.serve.cli import main

if __name__ == "__main__":
    main()
