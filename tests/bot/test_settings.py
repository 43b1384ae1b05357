"""The settings file: every key optional, every fault a sentence."""

from pathlib import Path

import pytest

from bot.settings import Settings, load
from knowledge.errors import Refusal


def written(folder: Path, text: str) -> Path:
    path = folder / "tuning-bot.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_no_file_means_the_defaults() -> None:
    assert load(None) == Settings()
    assert Settings().defaults.timezone == "UTC"


def test_a_file_sets_what_it_says(tmp_path: Path) -> None:
    text = '[defaults]\nmodel = "qwen2.5 7b"\nvllm_version = "0.8.5"\nlanguage = "zh"\ntimezone = "Asia/Shanghai"\n[channels.ops]\nbroadcast = false\n'
    settings = load(written(tmp_path, text))
    assert (settings.defaults.model, settings.defaults.vllm_version) == ("qwen2.5 7b", "0.8.5")
    assert (settings.defaults.language, settings.defaults.timezone) == ("zh", "Asia/Shanghai")
    assert not settings.channels["ops"].broadcast


@pytest.mark.parametrize(
    ("text", "code", "part"),
    [
        pytest.param("[defaults\n", "settings-not-toml", "is not TOML", id="not TOML"),
        pytest.param('[defaults]\nvllm_version = "new"\n', "bad-value", "version like 0.32", id="no version"),
        pytest.param('[defaults]\ntimezone = "Beijing"\n', "bad-value", "IANA name", id="no zone"),
        pytest.param('[defaults]\nlanguage = "fr"\n', "bad-value", "'en' or 'zh'", id="no language of ours"),
        pytest.param("[slack]\nport = 70000\n", "bad-value", "65535", id="no port"),
        pytest.param("[defaults]\nmodle = 1\n", "unknown-key", "`defaults.modle`", id="misspelt"),
    ],
)
def test_a_fault_in_the_file_is_a_sentence(tmp_path: Path, text: str, code: str, part: str) -> None:
    with pytest.raises(Refusal) as fault:
        load(written(tmp_path, text))
    assert fault.value.code == code
    assert part in fault.value.error


def test_a_missing_file_says_how_to_name_one(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as fault:
        load(tmp_path / "none.toml")
    assert fault.value.code == "settings-unreadable"
    assert "--config" in fault.value.hint


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tuning-bot.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Refusal) as fault:
        load(path)
    assert fault.value.code == "settings-not-toml"


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(b"a = " + b"[" * 50_000, id="nested without end"),
        pytest.param(b"a = '" + b"x" * 2**21 + b"'", id="larger than a settings file is"),
        pytest.param(b"\xff\xfe", id="not text"),
    ],
)
def test_a_file_that_is_no_settings_file_is_told_in_one_sentence(tmp_path: Path, written: bytes) -> None:
    path = tmp_path / "tuning-bot.toml"
    path.write_bytes(written)
    with pytest.raises(Refusal) as fault:
        load(path)
    assert fault.value.code == "settings-not-toml"
