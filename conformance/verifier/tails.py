"""What of batches and an audit log comes after all that could stand behind it."""

import base64
import binascii

from keys import sha256
from proof import entry_of
from stamps import NoStamp, is_at_its_time, read_stamp
from strict_json import NoCanonicalForm, canonical, name_of
from times import instant

ALONE = "self-consistent, not witnessed"
HOUR = 3_600_000


def check_tails(batches, entries, log, report, told_at=None):
    """
    Checks that batches are in the ledger, and notes those, and the end of the log, that nothing covers. `batches`: of all
    lists, as `documents.Batches` keeps them; `entries`: of the ledger, None where it is not there; `log`: its check or None;
    `told_at`: when they were written, ms.
    """
    listed = [entry for entry in entries or [] if isinstance(entry, dict)]
    ledger = {entry["sequence"]: entry for entry in listed if isinstance(entry.get("sequence"), float)}
    anchored = [batch for batch in batches if batch["sequence"] is not None]
    if entries is not None:
        wrong = [each for each in anchored if ledger.get(each["sequence"], {}).get("commitment") != each["commitment"]]
        for each in wrong:
            report.failed("batch", f"Entry {each['sequence']} of the ledger is another.")
        if anchored and not wrong:
            report.verified("batch", "All commitments are in the ledger.")
    if log is not None and not log.broken:
        check_end(batches, log, report)
    for name, last in ends_of(listed).items():
        note_known_end(("ledger", name), last, report.on("anchors.jsonl"))
    for each in behind(ledger, log, report):
        check, covers, _, until = each
        named = {batch["sequence"] for batch in batches}
        absent = [entry for sequence, entry in ledger.items() if sequence not in named]
        if check != "anchor" and any(each[2](entry) for entry in absent):
            report.on("anchors.jsonl").noted(check, "Entries are of batches that are not here.")
        head = until
        for batch in batches:
            if covers(batch):
                head = max(head, batch["head"])
            else:
                report.on(f"batch {batch['batchId']}").noted(check, f"Nothing covers it: {ALONE}.")
        if log is not None and log.last is not None and not log.broken and log.last[0] > head:
            last = head > 0 and log.bound == head and not is_followed(batches, ledger, each)
            waits = last and told_at is not None and is_recent(log.times, told_at)
            detail = f"Nothing covers its entries after {head}: {ALONE}."
            report.on("audit log").noted("batch" if waits else check, detail)


def is_followed(batches, ledger, behind_them):
    """Whether covered batches come after the last head: they commit to more of the log, and are not here or hide it."""
    _, covers, covers_entry, _ = behind_them
    covered = [batch for batch in batches if covers(batch)]
    last_heads = {repr(batch["applicationId"]): batch["head"] for batch in covered}
    last = max((batch["sequence"] or 0 for batch in covered if batch["head"] > 0), default=0)
    return 0 in last_heads.values() or any(number > last and covers_entry(entry) for number, entry in ledger.items())


def check_end(batches, log, report):
    """Checks that the log goes on to each head of a batch, and notes what is known beyond."""
    last, about = log.last[0] if log.last else 0, report.on("audit log")
    if any(batch["head"] > last for batch in batches):
        about.failed("batch", "A batch commits to an entry after its end.")
    note_known_end(("audit-log",), last, about)


def note_known_end(kind, last, report):
    """Notes that a log or a ledger ends before an entry of it that is known from before."""
    if report.known is not None and report.known.last.get(name_of(*kind), 0) > last:
        report.noted("witness", "An entry after its end is known from before.")


def ends_of(entries):
    """The last entry of each ledger."""
    ends = {}
    for entry in entries:
        ledger, sequence = entry.get("ledger"), entry.get("sequence")
        if isinstance(ledger, str) and isinstance(sequence, float):
            ends[ledger] = max(sequence, ends.get(ledger, 0))
    return ends


def is_recent(times, told_at):
    """Whether all of them are of the hour before."""
    return None not in times and all(told_at - at <= HOUR for at in times)


def behind(ledger, log, report):
    """Each kind of thing that can stand behind a batch: its check, whether it covers one, or an entry, how much of the log it knows."""
    found, known = [], report.known
    if known is not None:
        until = max((entry["sequence"] for entry in ledger.values() if is_known(entry, known)), default=0)
        last = max((number for _, number, _ in log.entries), default=0) if log is not None else 0
        covers = lambda batch: batch["known"] or (batch["sequence"] is not None and batch["sequence"] <= until)
        found.append(("witness", covers, lambda entry: entry["sequence"] <= until, last))
    if report.authorities is not None:
        covers_stamped = lambda batch: is_stamped(ledger.get(batch["sequence"]), batch["sealedAt"])
        found.append(("stamp", covers_stamped, lambda entry: is_stamped(entry, instant(entry.get("anchoredAt"))), 0))
    return found or [("anchor", lambda batch: batch["sequence"] is not None, lambda entry: True, 0)]


def is_known(entry, known):
    try:
        entry_hash = sha256(canonical(entry_of(entry)))
    except NoCanonicalForm:
        return False
    place = name_of("ledger", entry.get("ledger"), entry.get("sequence"))
    return known.entries.get(place) == entry_hash or entry_hash in known.hashes


def is_stamped(entry, sealed_at):
    """Whether an entry has a stamp of its time and of that of its batch; what it is over is checked with the entry."""
    try:
        _, at = read_stamp(base64.b64decode(str((entry or {}).get("timeStamp"))))
    except (NoStamp, binascii.Error, ValueError):
        return False
    return is_at_its_time(at, instant(entry.get("anchoredAt")), (sealed_at, sealed_at))
