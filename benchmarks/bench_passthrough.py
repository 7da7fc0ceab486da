"""Pass-through: one gateway between a channel on NATS and the air on MQTT.

can-sim ─ cns ═ g-v ═ steam ─ consumer
"""

import sys

from case import Case
from command import main
from federation import write_passthrough

CASES = (Case("pass-through", 1, 10000.0, "steam", write_passthrough),)

if __name__ == "__main__":
    sys.exit(main(CASES))
