"""Files where Hadoop reaches them: `s3a:`, `hdfs:`, and whatever else Spark is set up for."""

from typing import Any

from pyspark.sql import SparkSession


class HadoopFiles:
    """A folder on a file system of Hadoop's.

    Args:
        spark: The session; its settings (`spark.hadoop.…`) tell how to get there.
        root: URI of the folder; may be absent.
    """

    def __init__(self, spark: SparkSession, root: str) -> None:
        context: Any = spark.sparkContext
        jvm, java_context = context._jvm, context._jsc  # noqa: SLF001 - no public way to Hadoop
        self._jvm: Any = jvm
        self._root = root.rstrip("/")
        path = self._path("")
        self._system: Any = path.getFileSystem(java_context.hadoopConfiguration())

    def sizes(self, folder: str = "") -> dict[str, int]:
        """Return the files in a folder, each with its length in bytes; none where it is absent."""
        return {one.getPath().getName(): one.getLen() for one in self._list(folder) if one.isFile()}

    def folders(self, folder: str = "") -> list[str]:
        """Return the names of the folders in a folder; none where it is absent."""
        return [one.getPath().getName() for one in self._list(folder) if one.isDirectory()]

    def read(self, path: str, start: int = 0, length: int | None = None) -> bytes:
        """Return bytes of a file, fewer where it ends before."""
        place = self._path(path)
        if not self._system.exists(place):
            raise FileNotFoundError(f"{self.uri(path)} is not there")
        rest = max(0, self._system.getFileStatus(place).getLen() - start)
        stream = self._system.open(place)
        try:
            stream.seek(start)
            return bytes(stream.readNBytes(rest if length is None else min(length, rest)))
        finally:
            stream.close()

    def write(self, path: str, content: bytes) -> None:
        """Put content in the place of a file, whole or not at all."""
        folder, _, name = path.rpartition("/")
        draft = self._path(f"{folder}/.{name}.part" if folder else f".{name}.part")
        stream = self._system.create(draft, True)
        try:
            stream.write(bytearray(content))
        finally:
            stream.close()
        self._system.delete(self._path(path), False)
        if not self._system.rename(draft, self._path(path)):
            raise OSError(f"{self.uri(path)} cannot be written")

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with all that it holds; harmless where there is none."""
        self._system.delete(self._path(path), True)

    def uri(self, path: str = "") -> str:
        """Return what Spark calls a file or a folder."""
        return f"{self._root}/{path}".rstrip("/")

    def _path(self, path: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(f"{self._root}/{path}".rstrip("/"))

    def _list(self, folder: str) -> list[Any]:
        place = self._path(folder)
        return list(self._system.listStatus(place)) if self._system.exists(place) else []
