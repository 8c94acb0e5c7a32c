"""How the models of this package are made: sections → pairs → training → judgement → export.

Outside of the package: nothing here is needed to use Pinakes. `prepare` and `export` run where Pinakes is installed,
`run` on whatever torch device is there and with nothing but torch, transformers and numpy.
"""
