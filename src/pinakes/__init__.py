"""Pinakes: the catalogue of your documentation."""
