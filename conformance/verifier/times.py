"""Times as the interface writes them."""

import re
from datetime import datetime, timezone

# Clocks of two processes may differ so much, ms.
SKEW = 60_000


def session_times(document):
    """When the last of a session had happened, and the latest time told of it, as `stamps.check_stamp` takes them."""
    session, seal = document.get("session"), document.get("integrity")
    lists = [document.get(name) for name in ("steps", "policyResults")]
    steps, results = ([each for each in all if isinstance(each, dict)] if isinstance(all, list) else [] for all in lists)
    if isinstance(seal, dict) and seal.get("leafSource") != "record":
        results = []
    ends = [instant(step.get("endedAt")) for step in steps]
    told = [instant(each.get(name)) for each in (session, *steps) for name in ("startedAt", "endedAt")]
    told += [instant(each.get("matchedAt")) for each in results]
    if None in told:
        return None, None
    return min(told[1], max(ends, default=told[1])), max(told)


def case_times(record):
    opened, closed = instant(record.get("openedAt")), instant(record.get("closedAt"))
    return (None, None) if None in (opened, closed) else (closed, max(opened, closed))


def instant(text):
    """Whole milliseconds since 1970 of an ISO 8601 time with its zone, else None."""
    form = r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)"
    match = re.fullmatch(form, text, re.A) if isinstance(text, str) else None
    if not match:
        return None
    try:
        at = datetime.fromisoformat(match[1] + (match[3] if match[3] != "Z" else "+00:00"))
    except ValueError:
        return None
    since = at - datetime(1970, 1, 1, tzinfo=timezone.utc)
    return (since.days * 86_400 + since.seconds) * 1_000 + int(((match[2] or "") + "000")[:3])
