Source code beside documents: its map, its links, a change that every command sees, and the prompt for a model.

=== file pinakes.toml
[code]
enabled = true
=== file docs/shop.md
# Shop

`Basket.total` adds up the prices.
=== file shop/basket.py
"""Baskets; see docs/shop.md."""


class Basket:
    def total(self, rate: float = 0.2) -> float:
        """Add up the prices."""
        return sum(self.prices)
=== file shop/order.py
from shop.basket import Basket


def place(basket: Basket):
    return Basket.total(basket)
=== run map --corpus code --budget 0
legend: ←N other files use it; → links to (no slash: same folder, else from the root); c class, f function, m method, v variable, p property, a async
shop/
  basket.py ←1
    → docs/shop.md
    c Basket ←1
      m total(rate: float = 0.2) -> float ←1
  order.py
    → basket.py
    f place(basket: Basket)
=== error
pinakes: map <hash>, <number> tokens; --since <hash> shows what changed from here on
=== run read shop/basket.py#Basket.total --plain
    def total(self, rate: float = 0.2) -> float:
        """Add up the prices."""
        return sum(self.prices)
=== file shop/order.py
from shop.basket import Basket


def cancel(basket: Basket):
    return Basket.total(basket)
=== run search "cancel an order" --corpus code --limit 1 --detail ids
1. code:shop/order.py:4-5  order.py › cancel
=== run read shop/order.py#cancel --plain
def cancel(basket: Basket):
    return Basket.total(basket)
=== run context --mode code --select docs/shop.md --explain
tier     number  tokens  block
active        0      25  file:docs/shop.md
L3            3       4  files: (rides in active)
L3            3      39  map:shop/basket.py (rides in active)
L3            3      20  map:shop/order.py (rides in active)
<number> tokens, 0 of them in tiers that are cached
