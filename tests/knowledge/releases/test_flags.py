import pytest

from knowledge.releases import flags
from knowledge.versions import NEWEST, OLDEST, parse


def test_tables_hold_what_70_releases_have() -> None:
    assert len(list(flags.all_flags())) == 397
    assert len(list(flags.all_flags(flags.BENCH))) == 108


@pytest.mark.parametrize(
    "flag", [*flags.all_flags(), *flags.all_flags(flags.BENCH)], ids=lambda flag: f"{flag.command}{flag.name}"
)
def test_every_row_reads_well(flag: flags.Flag) -> None:
    assert OLDEST <= flag.since <= (flag.until or NEWEST) <= NEWEST
    assert flag.kind.removesuffix("+") in {"text", "int", "float", "bool", "json", "size"}
    assert flag.default(flag.since) is not None
    assert flag.default(parse("0.3")) is None
    assert flag.negation(flag.since) in {"no", "yes", "value"}
    if flag.instead:
        assert flags.lookup(flag.instead, flag.command) is not None
    if not flag.choice_changes:
        assert flag.choices_in(NEWEST) == tuple(flag.choices.removeprefix("~").split())


KNOWN = [
    ("--max-num-seqs", "0.4", True),
    ("--max_num_seqs", "0.32", True),
    ("--max-num-seqs=16", "0.32", True),
    ("-tp", "0.32", True),
    ("--kv-cache-memory-bytes", "0.10.1", False),
    ("--kv-cache-memory-bytes", "0.10.2", True),
    ("--swap-space", "0.17.1", True),
    ("--swap-space", "0.18", False),
    ("--no-enable-prefix-caching", "0.6.4", False),
    ("--no-enable-prefix-caching", "0.6.5", True),
    ("--compilation-config.cudagraph_mode", "0.32", True),
    ("--no-such-thing", "0.32", False),
]


@pytest.mark.parametrize(("text", "version", "known"), KNOWN, ids=[f"{text} {version}" for text, version, _ in KNOWN])
def test_a_version_knows_its_options(text: str, version: str, known: bool) -> None:
    assert flags.known(text, parse(version)) is known


def test_bench_has_options_of_its_own() -> None:
    assert flags.known("--request-rate", parse("0.32"), flags.BENCH)
    assert not flags.known("--request-rate", parse("0.32"))


REPLACED = [
    ("--swap-space", "0.18", "--kv-offloading-size"),
    ("--swap-space", "0.9", None),
    ("--num-speculative-tokens", "0.9", "--speculative-config.num_speculative_tokens"),
    ("--guided-decoding-backend", "0.12", "--structured-outputs-config.backend"),
    ("--max-context-len-to-capture", "0.6.4", "--max-seq-len-to-capture"),
    ("--max-context-len-to-capture", "0.32", "--cudagraph-capture-sizes"),
    ("--rope-scaling", "0.32", "--hf-overrides"),
    ("--disable-log-requests", "0.32", "--enable-log-requests"),
    ("--enable-log-requests", "0.9", "--disable-log-requests"),
    ("--speculative-config", "0.7", "--speculative-model"),
    ("--num-scheduler-steps", "0.32", None),
    ("--unheard-of", "0.32", None),
]


@pytest.mark.parametrize(("text", "version", "instead"), REPLACED, ids=[f"{t} {v}" for t, v, _ in REPLACED])
def test_what_took_an_options_place(text: str, version: str, instead: str | None) -> None:
    assert flags.replacement(text, parse(version)) == instead


@pytest.mark.parametrize(
    ("text", "version", "default"),
    [
        ("--gpu-memory-utilization", "0.19.1", "0.9"),
        ("--gpu-memory-utilization", "0.20", "0.92"),
        ("--prefix-caching-hash-algo", "0.10.2", "sha256"),
        ("--max-num-seqs", "0.6.4", "256"),
        ("--max-num-seqs", "0.32", "None"),
        ("--unheard-of", "0.32", None),
    ],
)
def test_defaults_change_with_the_version(text: str, version: str, default: str | None) -> None:
    assert flags.default(text, parse(version)) == default


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("--max-modle-len", "--max-model-len"),
        ("--gpu_memory_utilisation", "--gpu-memory-utilization"),
        ("kv-cache-type", "--kv-cache-dtype"),
        ("--tensor-paralell-size=4", "--tensor-parallel-size"),
        ("--qqqq", None),
    ],
)
def test_slips_are_recognised(typed: str, meant: str | None) -> None:
    assert flags.nearest(typed) == meant
    assert flags.nearest(typed, parse("0.32")) == meant


def test_the_beginning_of_one_name_alone_stands_for_it() -> None:
    assert [flag.name for flag in flags.beginning("--tensor_parallel")] == ["--tensor-parallel-size"]
    assert len(flags.beginning("--max-num", parse("0.32"))) > 1


def test_choices_change_with_the_version() -> None:
    dtypes = flags.lookup("--kv-cache-dtype")
    assert dtypes is not None
    assert dtypes.choices_in(parse("0.4.0")) == ("auto", "fp8_e5m2")
    assert "nvfp4" not in dtypes.choices_in(parse("0.19"))
    assert "nvfp4" in dtypes.choices_in(parse("0.20"))
    assert dtypes.closed
    assert len(dtypes.choices_in(parse("0.32"))) == 19  # as its --help=all lists them
    modes = flags.lookup("--tokenizer-mode")
    assert modes is not None
    assert not modes.closed
    policy = flags.lookup("--scheduling-policy")
    assert policy is not None
    assert policy.closed


def test_choices_of_old_versions_may_not_be_known() -> None:
    modes = next(flag for flag in flags.all_flags(flags.SERVE) if "…" in flag.choice_changes)
    assert modes.choices_in(parse("0.5")) == ()
    assert modes.choices_in(NEWEST) != ()


def test_short_names_have_their_releases() -> None:
    compilation = flags.lookup("-O")
    assert compilation is not None
    assert compilation.name == "--compilation-config"
    assert compilation.spelt_in("-O", parse("0.11"))
    assert not compilation.spelt_in("-O", parse("0.12"))
    assert compilation.spelt_in("-cc", parse("0.32"))
    assert not compilation.spelt_in("-cc", parse("0.11"))
    assert not compilation.spelt_in("-tp", parse("0.32"))


def test_switches_are_turned_off_as_the_version_allows() -> None:
    chunked, eager = flags.lookup("--enable-chunked-prefill"), flags.lookup("--enforce-eager")
    assert chunked is not None
    assert eager is not None
    assert chunked.switch
    assert chunked.negatable
    assert [chunked.negation(parse(version)) for version in ("0.4", "0.6", "0.9")] == ["no", "value", "yes"]
    assert eager.negation(parse("0.8")) == "no"


def test_some_options_take_several_values() -> None:
    names = flags.lookup("--served-model-name")
    assert names is not None
    assert names.several


def test_the_keys_of_json_options_are_known_for_one_version() -> None:
    assert "num_speculative_tokens" in flags.json_keys("--speculative-config", parse("0.32"))
    assert flags.json_keys("--speculative-config", parse("0.31")) == ()
    assert flags.json_keys("--limit-mm-per-prompt", parse("0.32")) == ()
