"""Running powers, started only with an approval, supervised; begin with gateway.py."""
