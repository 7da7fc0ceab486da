"""A certificate authority of a test, made by the program `openssl`."""

import subprocess
from pathlib import Path
from typing import Final, NamedTuple

from support.processes.foreign import program

KEY: Final = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


class Pair(NamedTuple):
    """A certificate and its private key, as PEM files."""

    certificate: Path
    key: Path


class Authority:
    """Signs certificates.

    Args:
        folder: Where its files are; made if absent.
        name: Its name.
    """

    def __init__(self, folder: Path, name: str = "authority") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._program = program("openssl", "openssl")
        self.ca, self._key = folder / f"{name}.pem", folder / f"{name}.key"
        out = ("-keyout", str(self._key), "-out", str(self.ca))
        self._run("req", "-x509", *KEY, *out, "-days", "3", "-subj", f"/CN={name}")

    def signed(self, name: str, *hosts: str, days: int = 2) -> Pair:
        """Return a certificate of its own.

        Args:
            name: Of the files, and in the certificate.
            hosts: Names or addresses that it is valid for.
            days: For which it is valid from now; negative for one that has expired.
        """
        folder = self._folder
        key, request = folder / f"{name}.key", folder / f"{name}.csr"
        found, names = folder / f"{name}.pem", folder / f"{name}.ext"
        told = [f"{'IP' if each[0].isdigit() else 'DNS'}:{each}" for each in hosts or ("none",)]
        names.write_text(f"subjectAltName={','.join(told)}\n")
        out = ("-keyout", str(key), "-out", str(request))
        self._run("req", "-new", *KEY, *out, "-subj", f"/CN={name}")
        self._run(
            *("x509", "-req", "-in", str(request), "-out", str(found), "-days", str(days)),
            *("-CA", str(self.ca), "-CAkey", str(self._key), "-CAcreateserial"),
            *("-extfile", str(names)),
        )
        return Pair(found, key)

    def _run(self, *arguments: str) -> None:
        done = subprocess.run(
            (self._program, *arguments), capture_output=True, text=True, check=False, timeout=60
        )
        assert done.returncode == 0, done.stderr
