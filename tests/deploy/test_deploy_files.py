"""What is deployed: settings that load, a unit and an image without rights, and commands that exist."""

import os
import re
import shutil
import subprocess
import sys
from configparser import RawConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from bot.cli.app import command
from bot.settings import Access, Channel, Defaults, Settings, Slack, Store, load
from bot.slack.tokens import APP, BOT, SIGNING

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
EXAMPLE = DEPLOY / "tuning-bot.example.toml"
SECTIONS: dict[str, type[BaseModel]] = {
    "defaults": Defaults, "slack": Slack, "channels.serving-zh": Channel, "access": Access, "store": Store,
}  # fmt: skip


def commands() -> set[str]:
    """The subcommands that `tuning-bot` has."""
    return set(getattr(command(), "commands"))  # noqa: B009 - typer types the group as a command


# tuning-bot.example.toml


def test_the_example_settings_load_and_survive_the_way_to_the_thinking_process() -> None:
    settings = load(EXAMPLE)
    assert settings.channels["serving-zh"].language == "zh"
    assert Settings.model_validate_json(settings.model_dump_json()) == settings


@pytest.mark.parametrize("section", SECTIONS)
def test_the_example_shows_every_key_of_a_section(section: str) -> None:
    text = EXAMPLE.read_text("utf-8").partition(f"[{section}]\n")[2].partition("\n[")[0]
    assert set(re.findall(r"^([a-z_]+) = ", text, re.MULTILINE)) == set(SECTIONS[section].model_fields)


@pytest.mark.parametrize("section", ["slack", "store"])
def test_the_example_shows_the_defaults_where_it_says_so(section: str) -> None:
    assert getattr(load(EXAMPLE), section) == getattr(Settings(), section)


# env.example


def test_the_example_environment_names_the_secrets_and_holds_none() -> None:
    text = (DEPLOY / "env.example").read_text("utf-8")
    assert re.findall(r"^([A-Z_]+)=(.*)$", text, re.MULTILINE) == [(BOT, ""), (APP, "")]
    assert f"#{SIGNING}=" in text
    assert not re.search(r"xox[a-z]-\w|xapp-\w", text)


# tuning-bot.service


@pytest.fixture(scope="module")
def unit() -> RawConfigParser:
    parser = RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # the documented way to keep capitals
    parser.read(DEPLOY / "tuning-bot.service", "utf-8")
    return parser


def test_the_unit_starts_a_command_that_exists(unit: RawConfigParser) -> None:
    program, name, *rest = unit["Service"]["ExecStart"].split()
    assert program.endswith("/tuning-bot")
    assert name in commands()
    assert rest == ["--config", "/etc/tuning-bot/tuning-bot.toml"]


def test_the_unit_gives_the_bot_time_to_finish(unit: RawConfigParser) -> None:
    from bot.slack.serving import FINISH
    from bot.slack.thinking import GOODBYE

    assert unit["Service"]["KillMode"] == "mixed"
    assert int(unit["Service"]["TimeoutStopSec"]) > FINISH + GOODBYE


@pytest.fixture
def installed_unit(tmp_path: Path) -> Path:
    """The unit with a program that exists on this machine, which is what systemd looks for."""
    text = (DEPLOY / "tuning-bot.service").read_text("utf-8")
    unit = tmp_path / "tuning-bot.service"
    unit.write_text(text.replace("/opt/tuning-bot/bin/tuning-bot", "/bin/true"), "utf-8")
    return unit


needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze here")


@needs_systemd
def test_systemd_accepts_the_unit(installed_unit: Path) -> None:
    done = subprocess.run(
        ["systemd-analyze", "verify", str(installed_unit)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@needs_systemd
def test_the_unit_exposes_little(installed_unit: Path) -> None:
    asked = ["systemd-analyze", "security", "--offline=true", "--threshold=20", str(installed_unit)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


# Dockerfile.bot and compose.yaml


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions, continued lines joined."""
    text = re.sub(r"\\\n", " ", (DEPLOY / "Dockerfile.bot").read_text("utf-8"))
    lines = [line.split(None, 1) for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(name, rest) for name, rest in lines]


def of(name: str) -> list[str]:
    return [rest for given, rest in instructions() if given == name]


def test_the_image_is_built_in_two_stages_from_slim_images_of_one_version() -> None:
    assert of("ARG") == ["PYTHON=3.12"]
    assert of("FROM") == ["python:${PYTHON}-slim AS built", "python:${PYTHON}-slim"]


def test_the_image_runs_without_rights_and_says_whether_it_is_well() -> None:
    names = [name for name, _ in instructions()]
    (user,) = of("USER")
    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", user)
    assert names.index("USER") > max(place for place, name in enumerate(names) if name == "RUN")
    (health,) = of("HEALTHCHECK")
    assert health.endswith('CMD ["python", "-m", "bot", "check", "--alive"]')
    assert (of("ENTRYPOINT"), of("CMD")) == (['["python", "-m", "bot"]'], ['["serve"]'])
    assert {"check", "serve"} <= commands()


def test_the_image_takes_what_is_locked_and_nothing_else() -> None:
    (install,) = [rest for rest in of("RUN") if " install " in rest and "-r " in rest]
    assert "--require-hashes" in install
    assert "--only-binary :all:" in install
    assert not of("ADD")
    assert not re.search(r"curl|wget|apt-get|git clone", " ".join(of("RUN")))


def test_what_the_image_copies_is_there_and_not_ignored() -> None:
    admitted = {
        line[1:] for line in (DEPLOY / "Dockerfile.bot.dockerignore").read_text("utf-8").splitlines() if line[0] == "!"
    }
    sources = {rest.split()[0] for rest in of("COPY") if not rest.startswith("--from")}
    assert sources == admitted
    for source in sources:
        assert (ROOT / source).exists()


def test_the_packages_need_nothing_beside_them(tmp_path: Path) -> None:
    """The image holds three folders; the repository around them is not there."""
    for package in ("bot", "knowledge", "runners"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    surroundings = {"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path), "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    where = "import bot, sys; print(bot.__file__); from bot.__main__ import main; sys.argv = ['x', 'ask', 'qwen2.5 7b on a 4090']; main()"
    done = subprocess.run(
        [sys.executable, "-c", where], cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=True
    )
    place, answer, *_ = done.stdout.splitlines()
    assert Path(place).is_relative_to(tmp_path)
    assert answer.startswith("Yes: Qwen2.5-7B-Instruct fits")


@pytest.fixture(scope="module")
def service() -> dict[str, Any]:
    composed = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    assert set(composed) == {"services", "volumes"}
    (service,) = composed["services"].values()
    return dict(service)


def test_the_container_may_write_to_its_volume_only(service: dict[str, Any]) -> None:
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert [volume for volume in service["volumes"] if not volume.endswith(":ro")] == ["data:/data"]
    assert "ports" not in service
    assert "privileged" not in service


def test_the_container_is_built_started_and_stopped_as_it_should_be(service: dict[str, Any]) -> None:
    assert (
        DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]
    ).resolve() == DEPLOY / "Dockerfile.bot"
    assert set(service["command"]) <= commands()
    assert int(service["stop_grace_period"].removesuffix("s")) > 10
    (settings,) = [volume for volume in service["volumes"] if volume.endswith(":ro")]
    assert service["environment"]["TUNING_BOT_CONFIG"] == settings.split(":")[1]
    assert service["env_file"] == ["env"]
