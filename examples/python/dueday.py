"""Reads a Dueday service with Python's standard library alone (3.10 or later).

    python3 dueday.py readiness http://localhost:8790
    python3 dueday.py events http://localhost:8790 [after-seq]
    WEBHOOK_SECRET=whsec_... PORT=4000 python3 dueday.py webhooks

With the library of Standard Webhooks (pip install standardwebhooks), verify() below is
standardwebhooks.Webhook(secret).verify(body, headers).
"""

import base64
import hashlib
import hmac
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer

TOLERANCE_SECONDS = 300


class Refused(Exception):
    """A request that is not to be believed: answer it with 400."""


def readiness(api: str) -> dict:
    """What remit() would settle now. Raises urllib.error.HTTPError with a JSON body that has code and error."""
    with urllib.request.urlopen(f"{api}/remit/readiness", timeout=15) as answer:
        return json.load(answer)


def events(api: str, after: int | None = None) -> Iterator[dict]:
    """The events of the chain as they happen, oldest first. A broken stream is opened again after the last event."""
    pause = 1.0
    while True:
        query = "" if after is None else f"?after={after}"
        request = urllib.request.Request(f"{api}/events{query}", headers={"Accept": "text/event-stream"})
        try:
            # The service sends a comment every 15 s, so silence for longer is a broken connection.
            with urllib.request.urlopen(request, timeout=45) as stream:
                pause = 1.0
                data: list[str] = []
                for raw in stream:
                    line = raw.decode().rstrip("\r\n")
                    if line.startswith("data:"):
                        data.append(line[5:].removeprefix(" "))
                    elif line == "" and data:
                        event = json.loads("\n".join(data))
                        data = []
                        after = event["seq"]
                        yield event
        except urllib.error.HTTPError as error:
            if error.code < 500 and error.code != 429:
                raise
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(pause)
        pause = min(pause * 2, 30.0)


def verify(body: bytes, headers: Mapping[str, str], secret: str, now: float | None = None) -> dict:
    """The event of a webhook, after its signature and time were verified. `body` are the bytes that arrived."""
    message, timestamp, signatures = (headers.get(f"webhook-{name}") or "" for name in ("id", "timestamp", "signature"))
    if not message or not timestamp.isdecimal():
        raise Refused("a webhook-* header is missing or malformed")
    if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE_SECONDS:
        raise Refused("the time of the request is too far from this machine's")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    # There are two while a secret is being replaced.
    if not any(hmac.compare_digest(expected.encode(), given.encode()) for given in signatures.split(" ")):
        raise Refused("the request was not signed with this secret, or was changed on the way")
    return json.loads(body)


class Receiver(BaseHTTPRequestHandler):
    """Prints the type of each event once. A receiver of your own stores the webhook-id together with what it does."""

    handled: set[str] = set()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        try:
            event = verify(body, self.headers, os.environ["WEBHOOK_SECRET"])
        except Refused as error:
            self.answer(400, str(error))
            return
        if event["type"] == "webhook.challenge":
            self.answer(200, event["data"]["challenge"])
            return
        message = self.headers["webhook-id"]
        if message not in self.handled:
            self.handled.add(message)
            print(event["type"], flush=True)
        self.answer(204, "")

    def answer(self, status: int, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """The standard log of each request is left out."""


def main() -> None:
    match sys.argv[1:]:
        case ["readiness", api]:
            answer = readiness(api)
            print(json.dumps({key: answer[key] for key in ("ready", "totals", "asOf")}))
        case ["events", api, *after]:
            for event in events(api, int(after[0]) if after else None):
                print(event["seq"], event["type"], flush=True)
        case ["webhooks"]:
            HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4000"))), Receiver).serve_forever()
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
