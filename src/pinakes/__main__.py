from pinakes.serve.cli import program

program()
