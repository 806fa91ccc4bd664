"""What every request passes through: connections, limits, addresses, reading of uploads, event streams."""
