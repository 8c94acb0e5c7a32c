"""How an embedder for documentation is made: sections → pairs → training → judgement.

Outside of the package: nothing here is needed to use Pinakes. `prepare` runs where Pinakes is installed, `run` on
whatever torch device is there and with nothing but torch, transformers and numpy.
"""
