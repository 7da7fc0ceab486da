"""What goes wrong in a town, by chance."""

import random
from collections.abc import Callable

from support.replicas.calm import is_calm
from support.replicas.town import Town
from support.simulation.timeline import MS, SECOND

FROM_US, TO_US = 2_500 * MS, 13 * SECOND
APART_US = 6 * SECOND
"""From one trouble of a kind to the next: longer than any lasts."""

LEAD_US = 300 * MS
"""Within which another leads after a graceful stop."""

TAKEOVER_US = 5 * SECOND
"""Within which another leads after the leader was killed."""


class Trouble:
    """Makes trouble, and ends it.

    Args:
        town: Where.
        rng: Decides.

    Attributes:
        on_trouble: Called about when something goes wrong.
        on_lost_lead: Called just before a leader loses the lead for a while, with the event service
            whose adapter stands still meanwhile.
        pending: Troubles that have not ended by themselves yet.
    """

    def __init__(self, town: Town, rng: random.Random) -> None:
        self._town = town
        self._rng = rng
        self._fresh = iter("efghijklmnopqrstuvwxyz")
        self._victim = ""
        self.pending = 0
        self.on_trouble: Callable[[], None] = lambda: None
        self.on_lost_lead: Callable[[str], None] = lambda _: None
        self.kinds: dict[str, Callable[[], None]] = {
            "replica killed": self._kill,
            "replica stopped": self._stop,
            "replica stalled": self._stall,
            "journal slow": self._slow_journal,
            "journal fails": self._fail_journal,
            "journal in doubt": self._doubt_journal,
            "link cut": self._cut,
            "links of an adapter cut": self._cut_all,
            "adapter killed": self._kill_adapter,
            "adapter stalled": self._stall_adapter,
            "lead lost and won back": self._lose_lead_and_win_it_back,
            "service fails": self._fail_service,
            "service slow": self._slow_service,
        }
        weights = dict.fromkeys(("replica killed", "replica stalled", "adapter killed"), 3)
        weights |= {"replica stopped": 2, "link cut": 2, "lead lost and won back": 2}
        self._bag = [kind for kind in self.kinds for _ in range(weights.get(kind, 1))]

    def plan(self) -> None:
        """Decide what goes wrong, and when."""
        rng = self._rng
        for _ in range(rng.choice((0, 1, 1, 2, 3, 4, 6))):
            moment = rng.randint(FROM_US, TO_US)
            self._plan_one(moment)
            if rng.random() < 0.3:  # troubles seldom come alone
                self._plan_one(moment + rng.randint(0, 2 * SECOND))
        for _ in range(rng.randint(0, 4)):
            self._town.at(rng.randint(FROM_US, TO_US), self._snapshot)

    def repeat(self, kind: str) -> None:
        """Have one kind of trouble again and again, and no other."""
        for moment in range(FROM_US, TO_US, APART_US):
            self._town.at(moment + self._rng.randint(0, SECOND), self.kinds[kind])

    def _plan_one(self, moment: int) -> None:
        rng, town = self._rng, self._town
        town.at(moment, self.kinds[rng.choice(self._bag)])
        if rng.random() < 0.7:
            town.at(moment + rng.randint(-30, 500) * MS, self.on_trouble)
            town.at(moment + rng.randint(2 * SECOND, 3 * SECOND), self.on_trouble)
        if rng.random() < 0.3:
            town.at(moment - rng.randint(0, 200 * MS), self._hinder)
        if rng.random() < 0.3:
            town.at(moment + rng.randint(0, 3 * SECOND), self._snapshot)

    def _hinder(self) -> None:
        """Have what is to be published wait."""
        self._rng.choice((self._fail_service, self._slow_service))()

    def _kill(self) -> None:
        name = self._member()
        if not name:
            return
        leads = name == self._town.leader
        self._town.fault("replica killed", name)
        self._town.kill(name)
        self._expect_lead(TAKEOVER_US if leads else 0, name)
        self._come_back(name, self._rng.randint(200 * MS, 6 * SECOND))

    def _stop(self) -> None:
        name = self._member()
        if not name or self._town.members[name].process.stalled:
            return
        leads, calm = name == self._town.leader, is_calm(self._town)
        self._town.circumstances["leaders stopped in order"] += leads
        self._town.fault("replica stopped", name)
        self._town.stop(name)
        self._expect_lead(LEAD_US if leads and calm else 0, name)
        self._come_back(name, self._rng.randint(SECOND, 6 * SECOND))

    def _stall(self) -> None:
        name = self._member()
        if not name or self._town.members[name].process.stalled:
            return
        for_us = self._rng.choice((SECOND, 4 * SECOND, 5 * SECOND, 6 * SECOND, 15 * SECOND))
        for_us = self._rng.randint(for_us // 2, for_us)
        self._town.circumstances["leaders that stood still"] += name == self._town.leader
        self._town.fault("replica stalled", f"{name} for {for_us / 1e6:.2f} s")
        self._town.stall(name, for_us)
        self._town.at(self._rng.randint(for_us // 2, for_us), self._snapshot)

    def _slow_journal(self) -> None:
        name = self._member()
        if name:
            self._town.fault("journal slow", name)
            self._town.slow.add(name)
            self._after(lambda: self._town.slow.discard(name), "journal fast")

    def _fail_journal(self) -> None:
        self._journal_fails("journal fails", doubtful=False)

    def _doubt_journal(self) -> None:
        self._journal_fails("journal in doubt", doubtful=True)

    def _journal_fails(self, kind: str, *, doubtful: bool) -> None:
        name = self._member()
        if not name:
            return
        journal = self._town.members[name].journal
        self._town.fault(kind, name)
        self._town.slow.add(name)
        journal.fails, journal.doubtful = True, doubtful

        def well() -> None:
            journal.fails = False
            self._town.slow.discard(name)

        self._after(well, "journal well")

    def _cut(self) -> None:
        adapter = self._adapter()
        links = [] if not adapter else list(self._town.adapters[adapter].links.items())
        if links:
            replica, link = self._rng.choice(links)
            self._town.fault("link cut", f"{adapter} to {replica}")
            link.cut(slow=self._rng.choice(("", "", "near", "far")))

    def _cut_all(self) -> None:
        adapter = self._adapter()
        if adapter:
            self._town.fault("links of an adapter cut", adapter)
            for link in self._town.adapters[adapter].links.values():
                link.cut()

    def _kill_adapter(self) -> None:
        name = self._adapter()
        if name:
            self._town.fault("adapter killed", name)
            self._town.disconnect(name)
            self._town.at(self._rng.randint(100 * MS, 3 * SECOND), lambda: self._town.connect(name))

    def _stall_adapter(self) -> None:
        name = self._adapter()
        if name and not self._town.adapters[name].process.stalled:
            self._town.fault("adapter stalled", name)
            self._after(self._town.stall_adapter(name), "adapter well")

    def _lose_lead_and_win_it_back(self) -> None:
        """Have a leader that cannot append lose the lead, and lead again, while an adapter stalls.

        What the adapter sent it before comes only then.
        """
        town, rng = self._town, self._rng
        leader, names = town.leader, sorted(n for n in town.services if town.services[n].keeps)
        if not leader or len(town.members) < 2 or not names or town.slow:
            return
        service = rng.choice(names)
        town.fault("lead lost and won back", f"{leader}, adapter of {service}")
        self.on_lost_lead(service)
        journal = town.members[leader].journal
        self.pending += 1
        town.at(rng.randint(0, 4 * MS), lambda: setattr(journal, "fails", True))
        town.at(rng.randint(5 * MS, 20 * MS), lambda: self._while_stalled(leader, service))

    def _while_stalled(self, leader: str, service: str) -> None:
        town = self._town
        journal = town.members[leader].journal if leader in town.members else None
        adapter = town.adapters.get(service)
        go_on = town.stall_adapter(service) if adapter is not None else lambda: None

        def well() -> None:
            if journal is not None:
                journal.fails = False
            town.disturb()

        def pass_on() -> None:
            others = [name for name in sorted(town.members) if name != leader]
            if leader in town.members and town.leader in others:
                name = town.leader
                town.stop(name)
                self._come_back(name, 3 * SECOND)

        def ended() -> None:
            self.pending -= 1
            town.circumstances["leads won back"] += town.leader == leader
            go_on()

        town.at(2_500 * MS, well)
        town.at(4_200 * MS, pass_on)
        town.at(4_800 * MS, ended)

    def _fail_service(self) -> None:
        service = self._rng.choice(list(self._town.services.values()))
        self._town.fault("service fails", service.name)
        service.fails = True
        self._after(lambda: setattr(service, "fails", False), f"{service.name} well")

    def _slow_service(self) -> None:
        service = self._rng.choice(list(self._town.services.values()))
        self._town.fault("service slow", service.name)
        service.slow = True
        self._after(lambda: setattr(service, "slow", False), f"{service.name} fast")

    def _snapshot(self) -> None:
        self._town.faults["snapshot"] += 1
        self._town.note("snapshot")
        self._town.compact()

    def _member(self) -> str:
        names, chance = sorted(self._town.members), self._rng.random()
        if chance < 0.3 and self._victim in names:
            return self._victim
        if chance < 0.7 and self._town.leader:
            self._victim = self._town.leader
        else:
            self._victim = self._rng.choice(names) if names else ""
        return self._victim

    def _adapter(self) -> str:
        names = sorted(self._town.adapters)
        return self._rng.choice(names) if names else ""

    def _come_back(self, name: str, after_us: int) -> None:
        """Start a replica again, under the same name or another."""
        fresh = next(self._fresh) if self._rng.random() < 0.3 else name

        def back() -> None:
            left = self._town.leaving.get(name)
            if left is not None and left.alive:
                self._town.at(200 * MS, back)
                return
            if fresh != name:
                self._town.forget(name)
            self._town.start(fresh)
            self._town.disturb()

        self._town.at(after_us, back)

    def _after(self, act: Callable[[], None], what: str) -> None:
        self.pending += 1

        def ended() -> None:
            self.pending -= 1
            act()
            self._town.note(what)
            self._town.disturb()

        self._town.at(self._rng.randint(300 * MS, 4 * SECOND), ended)

    def _expect_lead(self, within_us: int, gone: str) -> None:
        """Have it be a broken promise where no other leads in time, unless more goes wrong."""
        town, count = self._town, self._town.disturbances
        if not within_us or not town.members or town.slow:
            return
        if any(member.process.stalled for member in town.members.values()):
            return

        def look() -> None:
            if town.disturbances == count and not town.leader:
                town.broken.append(f"nobody leads {within_us / 1e6} s after {gone} was gone")

        town.at(within_us, look)
