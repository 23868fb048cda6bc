import json
import sys
import threading
from enum import Enum

from tributary import Client, RewardReceiver, TributaryError

given = json.load(sys.stdin)


class Currency(str, Enum):
    EUR = "EUR"


def client(url, deadline_s=60.0):
    return Client(url, "ak-1", given["secret"], timeout_s=60, deadline_s=deadline_s, max_attempts=1)


def at_once(one, count):
    """What so many threads get that ask for a token at the same time."""
    failures = []
    barrier = threading.Barrier(count)

    def ask():
        barrier.wait()
        try:
            one.access_token()
        except TributaryError as error:
            failures.append([str(error), error.retryable])

    threads = [threading.Thread(target=ask) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


usual = client(given["usualUrl"])
usual.purchase_created({**given["purchase"], "currency": Currency.EUR})
try:
    usual.lookup("refused")
    failure = None
except TributaryError as error:
    failure = error
try:
    client(given["openUrl"]).wait_for_decision("e1", deadline_s=0.3)
    undecided = ""
except TributaryError as error:
    undecided = str(error)
receiver = RewardReceiver("acme", "secret", lambda _: True)
print(
    json.dumps(
        {
            "shown": [repr(usual), str(usual), repr(failure), str(failure)],
            "silent": at_once(client(given["silentUrl"], 0.3), 8),
            "failing": at_once(client(given["failingUrl"]), 8),
            "undecided": undecided,
            "stranger": receiver.receive(None, b"{}").headers,
        }
    )
)
