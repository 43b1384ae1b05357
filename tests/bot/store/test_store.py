"""The store keeps what was accepted, whatever happens to the process, and forgets what has had its time."""

import sqlite3
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from sqlite_utils import Database

from bot.store.checking import check_alive, check_store
from bot.store.outbox import Call, State
from bot.store.questions import Question
from bot.store.store import DAY, Store, open_store
from knowledge.errors import Refusal


class Clock:
    """A time that a test puts forward."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "store.sqlite"


def question(ts: str | None, **also: object) -> Question:
    values: dict[str, object] = {
        "key": f"C1-{ts}", "channel": "C1", "ts": ts, "thread": "1.0", "user": "U1", "text": "fits?"
    }  # fmt: skip
    return Question(**(values | also))  # type: ignore[arg-type]


def test_a_key_is_accepted_once_across_openings(path: Path, clock: Clock) -> None:
    with open_store(path, clock) as store:
        row = store.inbox.accept("Ev1", "lane", "{}")
        assert row is not None
        assert store.inbox.accept("Ev1", "lane", "{}") is None
    with open_store(path, clock) as store:
        assert store.inbox.accept("Ev1", "lane", "{}") is None
        assert [received.id for received in store.inbox.open()] == [row]


def test_what_is_done_is_not_open_and_forgets_what_was_said(path: Path, clock: Clock) -> None:
    with open_store(path, clock) as store:
        row = store.inbox.accept("Ev1", "lane", '{"text": "secret plans"}', busy=True)
        assert row is not None
        received = store.inbox.get(row)
        assert received is not None
        assert received.busy
        store.inbox.done(row, "answered")
        assert store.inbox.get(row) is None
        assert store.inbox.open() == []
    assert sqlite3.connect(path).execute("SELECT body, outcome FROM inbox").fetchall() == [("", "answered")]


def test_a_question_is_found_by_key_by_message_and_by_thread(path: Path, clock: Clock) -> None:
    with open_store(path, clock) as store:
        for ts in ("1.0", "2.0", "3.0"):
            store.questions.add(question(ts))
        store.questions.answered("C1-1.0", "one", "en")
        store.questions.answered("C1-2.0", "two", "zh", "changed")
        store.questions.stands_at("C1-2.0", "2.5")
        assert store.questions.by_key("C1-2.0") == store.questions.at("C1", "2.0")
        before = store.questions.before("C1", "1.0", "3.0")
        assert before is not None
        assert (before.understood, before.language, before.text, before.answer_ts) == ("two", "zh", "changed", "2.5")
        assert store.questions.before("C1", "1.0", "1.0") is None
        assert store.questions.in_thread("C1", "1.0")
        assert not store.questions.in_thread("C1", "9.0")


def test_a_thread_under_an_answer_goes_on_from_its_question(path: Path, clock: Clock) -> None:
    with open_store(path, clock) as store:
        store.questions.add(question("1.0", thread=""))
        store.questions.answered("C1-1.0", "one", "en")
        store.questions.stands_at("C1-1.0", "1.5")
        for root in ("1.0", "1.5"):
            before = store.questions.before("C1", root, "2.0")
            assert before is not None
            assert before.understood == "one"


def test_a_deleted_question_is_remembered_without_its_words(path: Path, clock: Clock) -> None:
    with open_store(path, clock) as store:
        store.questions.delete(question("1.0", text=""))
        store.questions.add(question("1.0"))
        gone = store.questions.at("C1", "1.0")
        assert gone is not None
        assert gone.deleted
        assert gone.text == ""


def test_revisions_are_counted(path: Path, clock: Clock) -> None:
    with open_store(path, clock) as store:
        store.questions.add(question("1.0"))
        assert [store.questions.revised("C1-1.0") for _ in range(2)] == [1, 2]
        assert store.questions.revised("nobody") == 0


def test_a_message_goes_out_under_one_key(path: Path, clock: Clock) -> None:
    with open_store(path, clock) as store:
        for text in ("first", "again"):
            store.outbox.add("answer:1", 7, Call.POST, "C1", {"text": text}, question="q")
        (message,) = store.outbox.of(7)
        assert (message.body, message.state, message.question) == ({"text": "first"}, State.NEW, "q")
        store.outbox.trying(message.id)
        assert store.outbox.of(7)[0].state is State.TRIED
        store.outbox.sent(message.id, "1.5")
        assert store.outbox.of(7)[0].state is State.SENT
        store.outbox.failed(message.id, "why")
        assert store.outbox.of(7)[0].state is State.FAILED


def test_one_opinion_for_each_person_the_last_one_counts(path: Path, clock: Clock) -> None:
    with open_store(path, clock) as store:
        assert store.feedback.rate("q", "U1", "helpful")
        assert not store.feedback.rate("q", "U1", "helpful")
        assert store.feedback.rate("q", "U1", "not-helpful")
        assert store.feedback.rate("q", "U2", "helpful")
        assert store.feedback.of("q") == {"U1": "not-helpful", "U2": "helpful"}


def test_a_block_of_writes_happens_whole_or_not_at_all(path: Path, clock: Clock) -> None:
    with open_store(path, clock) as store:
        with suppress(KeyError), store.atomic():
            store.inbox.accept("Ev1", "lane", "{}")
            raise KeyError
        assert store.inbox.open() == []


def test_what_has_had_its_time_is_forgotten(path: Path, clock: Clock) -> None:
    with open_store(path, clock) as store:
        done, waiting = store.inbox.accept("Ev1", "lane", "{}"), store.inbox.accept("Ev2", "lane", "{}")
        assert done is not None
        assert waiting is not None
        store.inbox.done(done, "answered")
        for row in (done, waiting):
            store.outbox.add(f"answer:{row}", row, Call.POST, "C1", {})
        store.questions.add(question("1.0"))
        store.feedback.rate("q", "U1", "helpful")
        clock.now += DAY - 1
        store.prune()
        assert store.inbox.accept("Ev1", "lane", "{}") is None
        clock.now += 8 * DAY
        store.prune()
        assert store.outbox.of(done) == []
        assert len(store.outbox.of(waiting)) == 1
        assert [received.id for received in store.inbox.open()] == [waiting]
        assert store.questions.by_key("C1-1.0") is not None
        clock.now += 30 * DAY
        store.prune()
        assert store.questions.by_key("C1-1.0") is None
        assert store.feedback.of("q") == {"U1": "helpful"}


def test_an_id_is_never_given_again(path: Path, clock: Clock) -> None:
    with open_store(path, clock) as store:
        before = store.inbox.accept("Ev1", "lane", "{}")
        assert before is not None
        store.outbox.add("answer:1", before, Call.POST, "C1", {})
        store.inbox.done(before, "answered")
        clock.now += 2 * DAY
        store.prune()
        after = store.inbox.accept("Ev2", "lane", "{}")
        assert after is not None
        assert store.outbox.of(after) == []


def test_a_second_bot_is_refused_the_same_store(path: Path, clock: Clock) -> None:
    with open_store(path, clock):
        with pytest.raises(Refusal, match="Another tuning-bot"):
            open_store(path, clock)
        assert check_store(path, clock).verdict == "ok"
    open_store(path, clock).close()


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Refusal, match="cannot be written"):
        open_store(tmp_path / "file" / "store.sqlite", clock)
    assert check_store(tmp_path / "file" / "store.sqlite", clock).verdict == "failed"


def test_a_file_that_is_no_database_is_refused(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "store.sqlite"
    path.write_bytes(b"this is no database, " * 100)
    with pytest.raises(Refusal, match="cannot be used as the store"):
        open_store(path, clock)
    assert check_alive(path, clock).verdict == "failed"


def test_a_store_that_is_held_for_writing_is_not_writable(path: Path, clock: Clock) -> None:
    with open_store(path, clock) as store:
        store.inbox.accept("Ev1", "lane", "{}")
    other = sqlite3.connect(path, timeout=0)
    other.execute("BEGIN EXCLUSIVE")
    impatient = Store(Database(sqlite3.connect(path, timeout=0)), clock)
    with pytest.raises(Refusal, match="cannot be written"):
        impatient.try_writing()
    impatient.close()
    other.close()


def test_a_store_that_is_not_there_can_be_created(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "new" / "store.sqlite"
    assert "can be created" in check_store(path, clock).says
    assert not path.parent.exists()


@pytest.mark.parametrize(
    ("age", "connected", "says"),
    [(5.0, True, "lives"), (61.0, True, "does not run"), (5.0, False, "not connected")],
    ids=["well", "silent", "cut off"],
)
def test_the_pulse_says_whether_the_bot_is_well(
    path: Path, clock: Clock, age: float, connected: bool, says: str
) -> None:
    assert "No bot has written" in check_alive(path, clock).says
    with open_store(path, clock) as store:
        assert store.pulse() is None
        assert "does not run" in check_alive(path, clock).says
        store.beat(connected=connected)
        clock.now += age
        assert says in check_alive(path, clock).says


WRITER = """
import sys, time
from pathlib import Path
from bot.store.store import open_store

store = open_store(Path(sys.argv[1]), time.time)
for number in range(10**6):
    store.inbox.accept(f"Ev{number}", "lane", "{}")
    print(number, flush=True)
"""


def test_nothing_that_was_accepted_is_lost_when_the_process_is_killed(path: Path, clock: Clock) -> None:
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for line in writer.stdout:
            if int(line) >= 200:
                break
        writer.kill()
        accepted = int([line, *writer.stdout][-1])
    with open_store(path, clock) as store:
        assert len(store.inbox.open()) in {accepted + 1, accepted + 2}
        assert store.inbox.accept(f"Ev{accepted}", "lane", "{}") is None
    assert sqlite3.connect(path).execute("PRAGMA integrity_check").fetchall() == [("ok",)]
