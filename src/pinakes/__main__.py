from pinakes.serve.cli import main

main()
