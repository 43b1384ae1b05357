"""What the bot may do in Slack and why; `deploy/slack-manifest.yaml` asks for exactly these."""

SCOPES = {
    "app_mentions:read": "mentions reach it",
    "assistant:write": "its status line in direct messages",
    "channels:history": "follow-ups, edits and deletions in public channels, and finding a post whose answer was lost",
    "channels:read": "names of public channels",
    "chat:write": "answers",
    "commands": "/vllm and the shortcut",
    "files:read": "logs attached to a question",
    "files:write": "charts and reports",
    "groups:history": "follow-ups, edits and deletions in private channels, and finding a post whose answer was lost",
    "groups:read": "names of private channels",
    "im:history": "direct messages reach it",
    "im:write": "telling somebody that a job is done",
    "users:read": "a person's language and time zone",
}
CONNECTIONS = "connections:write"  # of the app token
