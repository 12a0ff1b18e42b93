"""
A second verifier of Countersign's evidence, written from the interface and sharing nothing with the first.

    python3 conformance/verifier [--keys KEYS.json]… [--known FILE]… [--tsa PEM]… [--json] FILE…
    python3 conformance/verifier --runs < RUNS

Needs Python 3.9 and `cryptography`. Exit status: 0 all verified, 1 something is wrong, 2 something is not checked.
`--runs` verifies in one process what each line of standard input names, a JSON list of arguments; each run's report is a line,
`{"status": 2, "error": …}` for one that can't be read.
"""

import argparse
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.setrecursionlimit(10_000)

from keys import read_keys  # noqa: E402
from known import Known  # noqa: E402
from pack import check_bytes, check_pack  # noqa: E402
from report import Report, verdict_of, witness_of  # noqa: E402
from stamps import Authorities, NoStamp, read_stamp  # noqa: E402
from strict_json import BadForm, NotJson, decode, parse  # noqa: E402


def is_zip(data):
    return data[:2] == b"PK" and len(data) >= 4 or len(data) >= 22 and data[-22:-18] == b"PK\5\6"


def check_file(path, keys, known):
    with open(path, "rb") as file:
        data = file.read()
    if is_zip(data):
        kind, found = "pack", check_pack(data, keys, known)
    else:
        kind = "document"
        found, _ = check_bytes(data, path.endswith(".jsonl"), keys or {}, known, False)
        found = found or check_bytes(data, True, keys or {}, known, False)[0]
        found = found or [{"result": "unchecked", "check": "form", "about": "file", "detail": "Nothing that is checked."}]
    first = next((each for each in found if each["result"] == "failed"), None)
    return {
        "file": path,
        "kind": kind,
        "verdict": verdict_of(found),
        "witness": witness_of(found),
        "firstFailure": first,
        "findings": found,
    }


def read_values(path):
    """The JSON of a file, of each of its lines, lines of 64 hex digits, or the digest of a time stamp."""
    with open(path, "rb") as file:
        data = file.read()
    try:
        return [read_stamp(data)[0]]
    except NoStamp:
        text = decode(data)
    try:
        return [in_any_form(text)]
    except NotJson:
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        return [in_any_form(line) if line[0] in "[{" else line for line in lines]


def in_any_form(text):
    """The JSON of what a reader holds: its own, so that another spelling deceives nobody."""
    try:
        return parse(text)
    except BadForm as error:
        if error.value is None:
            raise
        return error.value


def all_keys(paths):
    found = {}
    for path in paths:
        (value,) = read_values(path)
        keys = read_keys(value)
        if keys is None:
            raise ValueError(f"{path}: expected public Ed25519 keys")
        found.update(keys)
    return found if paths else None


def read_arguments(arguments):
    options = argparse.ArgumentParser(prog="verifier")
    options.add_argument("--keys", action="append", default=[])
    options.add_argument("--known", action="append", default=[])
    options.add_argument("--tsa", action="append", default=[])
    options.add_argument("--json", action="store_true")
    options.add_argument("files", nargs="+")
    return options.parse_args(arguments)


def verify(given):
    """The reports on the files that are given, and the exit status of all; raises for a wrong use."""
    keys = all_keys(given.keys)
    values = [value for path in given.known for value in read_values(path)]
    known = Known(values) if given.known else None
    Report.authorities = Authorities(given.tsa) if given.tsa else None
    reports = [check_file(path, keys, known) for path in given.files]
    verdicts = {report["verdict"] for report in reports}
    status = 1 if "failed" in verdicts else 0 if verdicts == {"verified"} else 2
    return {"status": status, "files": reports}


def verify_or_refuse(given):
    try:
        return verify(given)
    except (OSError, ValueError, BadForm, NotJson) as error:
        return {"status": 2, "error": str(error)}


def main(arguments):
    if arguments == ["--runs"]:
        for line in sys.stdin:
            print(json.dumps(verify_or_refuse(read_arguments(json.loads(line)))), flush=True)
        return 0
    given = read_arguments(arguments)
    verified = verify_or_refuse(given)
    if "error" in verified:
        print(verified["error"], file=sys.stderr)
        return 2
    if given.json:
        print(json.dumps(verified, indent=2))
    else:
        for report in verified["files"]:
            print(f"{report['file']}: {report['verdict']}, {report['witness']}")
            for each in report["findings"]:
                print(f"  {each['result']} {each['check']}, {each['about']}: {each['detail']}")
    return verified["status"]


sys.exit(main(sys.argv[1:]))
