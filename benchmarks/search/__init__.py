"""How fast are questions answered at 20,000, 150,000 and a million passages, beside others on the same passages?"""
