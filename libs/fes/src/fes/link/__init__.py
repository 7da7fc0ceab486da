"""Links between adapters and gateways: messages, frames and windows, and two ways to carry them."""
