"""`tuning-bot` and `python -m bot`."""


def main() -> None:
    """Run the command line."""


if __name__ == "__main__":
    main()
