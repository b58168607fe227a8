"""How a command ends when it can't go on."""

USAGE, FAILED, UNAVAILABLE, INTERNAL = 64, 65, 69, 70


class Trouble(Exception):
    """An end with a message for people and an exit status."""

    def __init__(self, message, status=UNAVAILABLE):
        super().__init__(message)
        self.status = status
