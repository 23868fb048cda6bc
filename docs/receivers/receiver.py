"""A receiver of the reward webhook with the Python client (Python 3.9 or later).

    pip install ./tributary-python-0.1.0.tar.gz
    WEBHOOK_USERNAME=… WEBHOOK_PASSWORD=… PORT=3000 GRANTS_FILE=grants.sqlite python3 receiver.py

Grants are rows of an SQLite file: the primary key grants each eventId once, however many threads or
processes ask, and the row is on the disk before the answer is sent. In production, put a WSGI server
and your own database in the place of wsgiref and SQLite, and insert the row in the transaction that
gives the credits.
"""

import os
import sqlite3
from contextlib import closing
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from tributary import Reward, RewardReceiver

GRANTS_FILE = os.environ.get("GRANTS_FILE", "grants.sqlite")


def connect() -> sqlite3.Connection:
    # Waits this long for another writer; the sender waits 10 s.
    return sqlite3.connect(GRANTS_FILE, timeout=5)


def grant_once(reward: Reward) -> bool:
    """False when the eventId was granted before."""
    row = (reward.event_id, reward.reward_id, reward.product_user_id, str(reward.amount))
    with closing(connect()) as db, db:
        insert = "insert into granted values (?, ?, ?, ?) on conflict (event_id) do nothing"
        return db.execute(insert, row).rowcount == 1


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 128  # Many deliveries may come at once; 5 would be the default.


class Handler(WSGIRequestHandler):
    timeout = 10  # For a sender that stops in the middle.


receiver = RewardReceiver(
    os.environ["WEBHOOK_USERNAME"], os.environ["WEBHOOK_PASSWORD"], grant_once
)


def application(environ, start_response):
    if environ["PATH_INFO"] == "/rewards":
        return receiver.wsgi(environ, start_response)
    start_response("404 Not Found", [("Content-Length", "0")])
    return []


if __name__ == "__main__":
    with closing(connect()) as db, db:
        db.execute(
            "create table if not exists granted (event_id text primary key, reward_id text not null,"
            " user_id text not null, amount text not null)"
        )
    port = int(os.environ["PORT"])
    print(f"listening on port {port}", flush=True)
    make_server("", port, application, Server, Handler).serve_forever()
