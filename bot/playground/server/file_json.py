"""What a file looks like in a message."""

from bot.playground.server.state import Json, SharedFile


def file_json(base: str, file: SharedFile) -> Json:
    """A file as messages and `files.info` show it; its content is fetched with the bot's token."""
    address = f"{base}/files/{file.id}/{file.name}"
    return {
        "id": file.id,
        "name": file.name,
        "title": file.title,
        "size": file.length,
        "user": file.user,
        "mimetype": "text/plain" if file.name.endswith((".txt", ".log")) else "application/octet-stream",
        "filetype": file.name.rpartition(".")[2],
        "mode": "hosted",
        "is_external": False,
        "url_private": address,
        "url_private_download": address,
    }
