"""What Clew stores, the ports through which it is stored, and the backends behind them."""
