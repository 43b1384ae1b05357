"""The part of Slack's Web API that an app like this one uses, one module a family of methods."""
