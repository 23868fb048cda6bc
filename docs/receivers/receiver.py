"""A receiver of the reward webhook with nothing but Python (3.9 or later).

    WEBHOOK_USERNAME=… WEBHOOK_PASSWORD=… PORT=3000 GRANTS_FILE=grants.sqlite python3 receiver.py

Grants are rows of an SQLite file: the primary key grants each eventId once, however many threads or
processes ask, and the row is on the disk before the answer is sent. In production, put a WSGI server
and your own database in the place of http.server and SQLite, and insert the row in the transaction
that gives the credits.
"""

import base64
import binascii
import hashlib
import hmac
import json
import os
import sqlite3
from contextlib import closing
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BODY_LIMIT_BYTES = 65_536
GRANTS_FILE = os.environ.get("GRANTS_FILE", "grants.sqlite")


def required(name):
    """A variable that was forgotten must not become a password."""
    value = os.environ.get(name, "")
    if value == "":
        raise SystemExit(f"{name} is missing")
    return value


PORT = int(required("PORT"))
USERNAME, PASSWORD = required("WEBHOOK_USERNAME"), required("WEBHOOK_PASSWORD")


def digest(value):
    return hashlib.sha256(value).digest()


# Digests have one length, so that the time it takes says nothing of how much was right.
CREDENTIALS = digest(f"{USERNAME}:{PASSWORD}".encode())


def is_ours(authorization):
    scheme, _, encoded = authorization.partition(" ")
    try:
        given = base64.b64decode(encoded.strip(), validate=True)
    except (binascii.Error, ValueError):
        return False
    return hmac.compare_digest(digest(given), CREDENTIALS) and scheme.lower() == "basic"


def connect():
    # Waits this long for another writer; the sender waits 10 s.
    return sqlite3.connect(GRANTS_FILE, timeout=5)


def create_tables():
    with closing(connect()) as db, db:
        db.execute(
            "create table if not exists granted (event_id text primary key, reward_id text not null,"
            " user_id text not null, amount text not null)"
        )


def grant_once(event_id, reward_id, user_id, amount):
    """False when the eventId was granted before."""
    with closing(connect()) as db, db:
        insert = "insert into granted values (?, ?, ?, ?) on conflict (event_id) do nothing"
        return db.execute(insert, (event_id, reward_id, user_id, str(amount))).rowcount == 1


def judge(body):
    """Rules 2 to 4 for the body of a sender with valid credentials: status and answer."""
    try:
        # Decimal keeps the digits of an amount such as 0.1; NaN and Infinity are no JSON.
        event = json.loads(body.decode("utf-8"), parse_float=Decimal, parse_constant=refuse)
    except (ValueError, RecursionError):
        return 400, {"message": "the body is not JSON"}
    if not isinstance(event, dict):
        return 400, {"message": "the body is no JSON object"}

    # Rule 2. Before the fields: those of other kinds are not known.
    data = object_of(event.get("data"))
    if event.get("eventType") != "new-reward" or data.get("rewardType") != "credits":
        return 200, {"ignored": True}

    # Rule 3. In Python, True is a number.
    names = {
        "eventId": event.get("eventId"),
        "rewardId": data.get("rewardId"),
        "productUserId": data.get("productUserId"),
    }
    for name, value in names.items():
        if not isinstance(value, str) or value == "":
            return 400, {"message": f"{name} is missing"}
    amount = object_of(data.get("reward")).get("amount")
    if not isinstance(amount, (int, Decimal)) or isinstance(amount, bool):
        return 400, {"message": "the amount is not a number"}

    # Rule 4.
    is_new = grant_once(names["eventId"], names["rewardId"], names["productUserId"], amount)
    return 200, {"duplicate": not is_new}


def object_of(value):
    return value if isinstance(value, dict) else {}


def refuse(constant):
    raise ValueError(f"{constant} is no JSON")


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10  # For a sender that stops in the middle.

    def do_POST(self):
        if self.path != "/rewards":
            return self.answer(404, {"message": "not found"}, keep=False)
        # Rule 1. Before the body: that of a stranger is not read.
        if not is_ours(self.headers.get("Authorization", "")):
            return self.answer(401, {"message": "credentials are missing or wrong"}, keep=False)
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            return self.answer(411, {"message": "there is no Content-Length"}, keep=False)
        if int(length) > BODY_LIMIT_BYTES:
            return self.answer(413, {"message": "the body is too large"}, keep=False)
        try:
            self.answer(*judge(self.rfile.read(int(length))))
        except Exception as error:
            # Not 2xx: the webhook comes again.
            self.log_error("the reward could not be granted: %s", error)
            self.answer(500, {"message": "the reward could not be granted"})

    def answer(self, status, body, keep=True):
        """What was not read of a request must not be taken for the next one: keep=False."""
        content = f"{json.dumps(body)}\n".encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if status == 401:
            self.send_header("WWW-Authenticate", 'Basic realm="webhook", charset="UTF-8"')
        if not keep:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)


class Server(ThreadingHTTPServer):
    request_queue_size = 128  # Many deliveries may come at once; 5 would be the default.


if __name__ == "__main__":
    create_tables()
    print(f"listening on port {PORT}", flush=True)
    Server(("", PORT), Receiver).serve_forever()
