"""The gateway core: sans-IO. It decides; the service around it commits and performs.

An event enters in `core.GatewayCore.handle`, is routed in `publication`, and leaves as an
output of `outputs`. Requests are one `table`; what is applied at a service is derived from it
in `desired`.
"""

from fes.gateway.core import GatewayCore
from fes.gateway.settings import AdapterSettings, GatewaySettings

__all__ = ["AdapterSettings", "GatewayCore", "GatewaySettings"]
