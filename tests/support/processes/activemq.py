"""ActiveMQ as a child process, from the packages of Debian, in a folder of its own."""

import shutil
import socket
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final
from xml.sax.saxutils import escape

from support.processes.foreign import Broker, lacking

HOME: Final = Path("/usr/share/activemq")
JARS: Final = Path("/usr/share/java")
PACKAGES: Final = "activemq libxstream-java libjettison-java"
START_S: Final = 120.0
"""Longest wait for it to listen; a busy machine starts Java slowly."""

USER, PASSWORD = "fes", "p w:1"

CONFIGURATION: Final = """\
<beans xmlns="http://www.springframework.org/schema/beans"
       xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
       xsi:schemaLocation="http://www.springframework.org/schema/beans
                           http://www.springframework.org/schema/beans/spring-beans.xsd
                           http://activemq.apache.org/schema/core
                           http://activemq.apache.org/schema/core/activemq-core.xsd">
  <broker xmlns="http://activemq.apache.org/schema/core" id="broker" brokerName="b{port}"
          useJmx="false" dataDirectory="{folder}/data">
    <destinationPolicy><policyMap><policyEntries>
      <policyEntry queue="&gt;" prioritizedMessages="true" expireMessagesPeriod="500"/>
      <policyEntry topic="&gt;" prioritizedMessages="true" expireMessagesPeriod="500"/>
    </policyEntries></policyMap></destinationPolicy>
    <persistenceAdapter>
      <kahaDB directory="{folder}/data/kahadb" journalMaxFileLength="4mb"
              preallocationStrategy="sparse_file"/>
    </persistenceAdapter>
    <plugins>
      <simpleAuthenticationPlugin anonymousAccessAllowed="{anonymous}"><users>
        <authenticationUser username="{user}" password="{password}" groups="all"/>
      </users></simpleAuthenticationPlugin>
    </plugins>
    {secure}
    <systemUsage><systemUsage>
      <memoryUsage><memoryUsage limit="64 mb"/></memoryUsage>
      <storeUsage><storeUsage limit="256 mb"/></storeUsage>
      <tempUsage><tempUsage limit="64 mb"/></tempUsage>
    </systemUsage></systemUsage>
    <transportConnectors>
      <transportConnector name="stomp" uri="stomp://127.0.0.1:{port}"/>
      {connectors}
    </transportConnectors>
  </broker>
  {beans}
</beans>
"""

TYPED: Final = """\
<bean id="factory" class="org.apache.activemq.ActiveMQConnectionFactory" depends-on="broker">
  <property name="brokerURL" value="vm://b{port}?create=false"/>
</bean>
<bean id="connection" factory-bean="factory" factory-method="createConnection"
      init-method="start"/>
<bean id="session" factory-bean="connection" factory-method="createSession">
  <constructor-arg value="false"/><constructor-arg value="1"/>
</bean>
<bean id="producer" factory-bean="session" factory-method="createProducer">
  <constructor-arg>
    <bean class="org.apache.activemq.command.ActiveMQQueue"><constructor-arg value="typed"/></bean>
  </constructor-arg>
</bean>
<bean id="message" class="org.apache.activemq.command.ActiveMQTextMessage">
  <property name="JMSType" value="selector-test"/>
  <property name="properties"><map>{entries}</map></property>
</bean>
<bean class="org.springframework.beans.factory.config.MethodInvokingFactoryBean">
  <property name="targetObject" ref="producer"/><property name="targetMethod" value="send"/>
  <property name="arguments"><list><ref bean="message"/></list></property>
</bean>
"""
"""Puts one message with properties of types into a queue, which a client of STOMP cannot do."""

LOGGING: Final = """\
log4j.rootLogger=WARN, out
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.layout=org.apache.log4j.PatternLayout
log4j.appender.out.layout.ConversionPattern=%d %p %c %m%n
"""


class ActiveMq(Broker):
    """Runs one ActiveMQ, which keeps what is persistent in its folder.

    Args:
        folder: Where its configuration, log and store are.
        anonymous: Whether it accepts clients without a password.
        secure: The part `sslContext` of its configuration; "" for none.
        connectors: Further `transportConnector`s.
        typed: Properties of the message that is in the queue `typed` from its start: by name, a
            class of Java's `java.lang` and a value; none for no message.
    """

    def __init__(
        self,
        folder: Path,
        *,
        anonymous: bool = True,
        secure: str = "",
        connectors: str = "",
        typed: Mapping[str, tuple[str, str]] = MappingProxyType({}),
    ) -> None:
        super().__init__(folder)
        self._java = _installed()
        text = CONFIGURATION.format(
            port=self.port,
            folder=folder,
            anonymous=str(anonymous).lower(),
            user=USER,
            password=PASSWORD,
            secure=secure,
            connectors=connectors,
            beans=_beans(self.port, typed) if typed else "",
        )
        (folder / "activemq.xml").write_text(text, "utf-8")
        (folder / "log4j.properties").write_text(LOGGING, "utf-8")

    @property
    def url(self) -> str:
        """Address for adapters, without credentials."""
        return f"stomp://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and return once it answers: the first client waits for Java to load much."""
        jars = [f"{HOME}/lib/*", f"{HOME}/lib/optional/*", f"{JARS}/xstream.jar"]
        jars += [f"{JARS}/jettison.jar"]
        self.run(
            *(self._java, "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            *("--add-opens", "java.base/java.util=ALL-UNNAMED"),
            *("--add-opens", "java.base/java.lang=ALL-UNNAMED"),
            *(f"-Dactivemq.home={HOME}", f"-Dactivemq.base={self.folder}"),
            *("-cp", ":".join((str(self.folder), *jars))),
            "org.apache.activemq.console.Main",
            *("start", f"xbean:file:{self.folder}/activemq.xml"),
            within_s=START_S,
        )
        try:
            with socket.create_connection(("127.0.0.1", self.port), START_S) as client:
                client.sendall(b"CONNECT\naccept-version:1.2\nhost:/\n\n\0")
                client.recv(1)
        except BaseException:
            self.kill()
            raise


def _beans(port: int, typed: Mapping[str, tuple[str, str]]) -> str:
    entries = "".join(
        f'<entry key="{name}"><value type="java.lang.{kind}">{escape(value)}</value></entry>'
        for name, (kind, value) in typed.items()
    )
    return TYPED.format(port=port, entries=entries)


def _installed() -> str:
    """Return the path of Java; skip or fail where Java or the broker is not there."""
    java = shutil.which("java")
    if java is None or not (HOME / "lib/activemq-stomp.jar").exists():
        lacking(f"ActiveMQ is missing: apt-get install {PACKAGES}")
    return java
