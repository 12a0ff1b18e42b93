"""Times as the interface writes them."""

import re
from datetime import datetime, timezone


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
