"""Attached files are fetched from the workspace's own host, with the token, and from nowhere else."""

import pytest

from bot.slack.files import own_host


@pytest.mark.parametrize(
    ("address", "api", "own"),
    [
        pytest.param("https://files.slack.com/files-pri/T1-F1/download/a.log", "https://slack.com/api/", True, id="Slack"),
        pytest.param("https://files.slack-gov.com/a.log", "https://slack-gov.com/api/", True, id="Slack for governments"),
        pytest.param("http://127.0.0.1:8000/files/F1/a.log", "http://127.0.0.1:8000/api/", True, id="a local server"),
        pytest.param("http://127.0.0.1:8001/files/F1/a.log", "http://127.0.0.1:8000/api/", False, id="another port"),
        pytest.param("http://files.slack.com/a.log", "https://slack.com/api/", False, id="without TLS"),
        pytest.param("https://files.slack.com.example.com/a.log", "https://slack.com/api/", False, id="a longer name"),
        pytest.param("https://files.slack.com@example.com/a.log", "https://slack.com/api/", False, id="a user's name"),
        pytest.param("https://example.com/a.log", "https://slack.com/api/", False, id="another host"),
        pytest.param("", "https://slack.com/api/", False, id="nowhere"),
    ],
)  # fmt: skip
def test_the_token_goes_to_the_workspaces_own_host_only(address: str, api: str, own: bool) -> None:
    assert own_host(address, api) is own
