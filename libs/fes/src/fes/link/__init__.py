"""Links between adapters and gateways: messages, frames and windows, in memory or over sockets."""
