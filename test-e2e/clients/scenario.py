import json
import re
import sys

from tributary import Client, Problem, TributaryError

given = json.load(sys.stdin)
client = Client(
    given["baseUrl"],
    given["accessKeyId"],
    given["secretAccessKey"],
    max_attempts=3,
    # A slow machine must not add attempts.
    timeout_s=60,
    deadline_s=300,
)
results = []
for step in given["steps"]:
    call = getattr(client, re.sub("[A-Z]", lambda m: f"_{m[0].lower()}", step["call"]))
    try:
        if "event" in step:
            key = step.get("idempotencyKey")
            results.append({"accepted": call(step["event"], idempotency_key=key)})
        elif "eventOf" in step:
            results.append({"found": call(results[step["eventOf"]]["accepted"]["eventId"])})
        else:
            results.append({"found": call(step["argument"])})
    except TributaryError as error:
        refused = {"attempts": error.attempts, "pointers": []}
        if isinstance(error, Problem):
            refused.update(code=error.code, status=error.status)
            refused["pointers"] = sorted(one["pointer"] for one in error.errors)
        results.append({"refused": refused, "key": error.idempotency_key})
json.dump(results, sys.stdout)
