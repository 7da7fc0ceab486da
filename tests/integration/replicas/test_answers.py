"""What REST answers of a request that one of several replicas may not have committed."""

import pytest
from fes.errors import StoreError
from fes.gateway.replication import INBOX, is_request
from fes.testing.eventually import eventually
from fes_gateway.deciding.decider import VOID
from fes_gateway.http import app as app_module
from fes_gateway.replicas.membership import NUMBERS
from fes_gateway.replicas.membership import View as MembersView
from support.gateways.replicas import SUBSCRIPTION, client_of, town

pytestmark = pytest.mark.anyio


async def test_what_became_of_a_request_that_a_deposed_leader_did_not_commit_is_told() -> None:
    async with town("a", "b") as one:
        stale, other = one.hosts["a"], one.hosts["b"].replica
        assert stale.replica is not None
        assert other is not None
        stale.replica.kill()
        stale.committing._behind = True  # it is not woken, and learns of the view as it commits
        other._propose(other.membership.takeover(1), [])
        await eventually(lambda: one.leaders() == ["a", "b"])
        assert stale.replica.term

        answer = await client_of(stale).post("/v1/requests", json=SUBSCRIPTION)
        assert answer.status_code == 503
        assert answer.json()["detail"] == VOID
        (identity,) = {request for request, _ in stale.core.outcomes}
        told = await client_of(stale).get(f"/v1/requests/{identity}")
        assert [step["detail"] for step in told.json()["steps"] if step["decision"] == "refused"]


async def test_what_a_leader_decided_is_void_though_the_view_that_it_reads_names_it() -> None:
    """Another led in between, and what it committed stands in the journal before that."""
    async with town("a", "b") as one:
        stale, other = one.hosts["a"], one.hosts["b"].replica
        assert stale.replica is not None
        assert other is not None
        term = stale.replica.term
        stale.replica.kill()
        stale.committing._behind = True  # it is not woken, and learns of the views as it commits
        other._propose(other.membership.takeover(1), [])
        await eventually(lambda: one.leaders() == ["a", "b"])
        other.kill()
        view = other.membership.view
        assert view is not None
        back = MembersView(view.number + 1, "a", ("a", "b"), view.base + NUMBERS)
        other._propose(back, [])
        await eventually(lambda: other.membership.view == back)

        answer = await client_of(stale).post("/v1/requests", json=SUBSCRIPTION)
        assert answer.status_code == 503
        assert answer.json()["detail"] == VOID
        await eventually(lambda: stale.replica and stale.replica.term == back.number != term)


@pytest.mark.parametrize("asked", ["a", "b"])
async def test_a_request_is_answered_202_once_it_is_in_the_journal(asked: str) -> None:
    """Rule P15."""
    async with town("a", "b") as one:
        answer = await client_of(one.hosts[asked]).post("/v1/requests", json=SUBSCRIPTION)

        assert answer.status_code == 202
        kept = [entry.key for entry in one.place.entries]
        assert any(key.startswith(INBOX) or is_request(key) for key in kept)


async def test_a_request_that_the_journal_does_not_take_is_not_answered_202(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(app_module, "COMMIT_S", 0.2)
    async with town("a") as one:
        journal = one.hosts["a"].committing._journal
        with monkeypatch.context() as patched:
            patched.setattr(journal, "append", _disk_full)
            answer = await client_of(one.hosts["a"]).post("/v1/requests", json=SUBSCRIPTION)
            assert answer.status_code == 503
            assert "disk full" in answer.json()["detail"]


def _disk_full(*_: object) -> int:
    raise StoreError("disk full")
