import subprocess
import sys
from pathlib import Path

FILE = """
version: 1
system: test
brokers: {cns: {kind: nats, url: "nats://127.0.0.1:4222"}}
event_services:
  cns-v: {kind: cns, brokers: [cns], settings: {chanel: v}}
gateways:
  g: {adapters: {cns-v: {}}}
"""


def test_a_setting_that_is_unknown_ends_the_process_with_its_name(tmp_path: Path) -> None:
    file = tmp_path / "federation.yaml"
    file.write_text(FILE, "utf-8")
    options = {
        "--federation": str(file),
        "--run": str(tmp_path),
        "--gateway": "g",
        "--event-service": "cns-v",
        "--link": "ws://127.0.0.1:1/link",
    }

    done = subprocess.run(
        [sys.executable, "-m", "adapter_cns", *(part for item in options.items() for part in item)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 2
    assert "chanel" in done.stderr
    assert done.stderr.count("\n") == 1
