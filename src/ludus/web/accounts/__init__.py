"""Who a visitor is: accounts, guests, login."""
