"""How Pinakes gets to people: `make dist` and `make mcpb`.

The sources enter; a wheel, a source distribution, what they are made of (SBOM), their hashes and a bundle for desktop
clients leave, each tried in a fresh environment first. Nothing here is part of the package.
"""
