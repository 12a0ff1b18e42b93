"""What was found, and the verdict over it."""


class Report:
    """Findings about one thing after the other, and what they are checked with."""

    # The time-stamping authorities that the reader trusts, in every report; None: none are.
    authorities = None
    # The keys of reviewers' authenticators that the pack has, in every report; None: it has none.
    reviewers = None

    def __init__(self, about, keys=None, known=None, found=None):
        self.about, self.keys, self.known = about, keys or {}, known
        self.found = [] if found is None else found

    def on(self, about):
        return Report(about, self.keys, self.known, self.found)

    def unwitnessed(self, detail, waiting=False):
        if self.known is not None:
            (self.noted if waiting else self.unchecked)("witness", detail)
        if self.authorities is not None:
            self.noted("stamp", detail)

    def add(self, result, check, detail):
        self.found.append({"result": result, "check": check, "about": self.about, "detail": detail})

    def verified(self, check, detail):
        self.add("verified", check, detail)

    def failed(self, check, detail):
        self.add("failed", check, detail)

    def unchecked(self, check, detail):
        self.add("unchecked", check, detail)

    def noted(self, check, detail):
        self.add("noted", check, detail)

    def has(self, result, check=None):
        return has(self.found, result, check)


def has(found, result, check=None):
    return any(each["result"] == result and check in (None, each["check"]) for each in found)


def verdict_of(found):
    """`verified` takes a verified signature, and nothing failed or left unchecked."""
    if has(found, "failed"):
        return "failed"
    return "verified" if has(found, "verified", "signature") and not has(found, "unchecked") else "undecided"


def witness_of(found):
    """
    By what is known, where all that can be compared was found in it, or by stamps, each at its time: of all (`witnessed`),
    or but for what is noted (`partly_witnessed`).
    """
    if has(found, "failed", "witness") or has(found, "unchecked", "witness"):
        return "not_witnessed"
    by = [{each["result"] for each in found if each["check"] == check} for check in ("witness", "stamp")]
    fitting = [results for results in by if "verified" in results and not results & {"failed", "unchecked"}]
    if not fitting:
        return "not_witnessed"
    # What a reader holds and does not find is not there for a stamp either.
    whole = any("noted" not in results for results in fitting) and "noted" not in by[0]
    return "witnessed" if whole else "partly_witnessed"
