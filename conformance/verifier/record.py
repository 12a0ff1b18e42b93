"""Compares a document with its sealed record, in all that the record holds."""

from datetime import datetime, timezone

from keys import sha256
from proof import leaf_hash
from strict_json import NoCanonicalForm, canonical, name_of, same
from times import instant

CONTENT = ("input", "output", "attributes")
MOST_MODELS = 50


def objects(value, name):
    """A member that is a list of objects; else empty."""
    return value[name] if has_objects(value, name) else []


def has_objects(value, name):
    """Whether a member is a list of objects, be it empty."""
    items = value.get(name)
    return isinstance(items, list) and all(isinstance(item, dict) for item in items)


def check_lists(value, names, report):
    """Fails the form of members that are something else than lists of objects; absent is none."""
    for name in names:
        if value.get(name) is not None and not has_objects(value, name):
            report.failed("form", f"Expected its {name} as a list of objects.")


def has_texts(value, names, report):
    """Whether each of these members is a text with something in it; fails the form where one is not."""
    missing = [name for name in names if not isinstance(value.get(name), str) or not value[name]]
    for name in missing:
        report.failed("form", f"Expected its {name} as text.")
    return not missing


def time_text(ms):
    seconds = datetime.fromtimestamp(ms // 1_000, timezone.utc)
    return seconds.strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1_000:03}Z"


def check_leaf(integrity, report):
    """The input of the leaf, where it is there and hashes to it; else None."""
    status, given = integrity.get("leafInputStatus"), integrity.get("leafInput")
    given = given if isinstance(given, dict) else None
    source, sealed = integrity.get("leafSource"), isinstance(integrity.get("leafHash"), str)
    if source == "record" and sealed:
        allowed = ["present"]
    elif source == "submitted" and sealed:
        allowed = ["present", "erased", "redacted"]
    else:
        names = ("leafSource", "leafHash", "merkle", "anchor")
        allowed = ["not_sealed"] if all(name in integrity and integrity[name] is None for name in names) else []
    if status not in allowed or (status == "present") != (given is not None):
        report.failed("leaf", f"leafInputStatus {status} is not for this leaf.")
        return None
    if given is None:
        report.noted("leaf", f"The input is {status}.")
        return None
    try:
        computed = leaf_hash(canonical(given)).hex()
    except NoCanonicalForm:
        computed = None
    if computed is None or computed != integrity["leafHash"]:
        report.failed("leaf", f"The input hashes to {computed}.")
        return None
    if "leafType" in given:
        report.failed("leaf", "The leaf is not that of a session.")
        return None
    report.verified("leaf", f"The input hashes to {computed}.")
    return given


def differ(name, sealed, shown, report):
    if not same(sealed.get(name), shown.get(name)):
        report.failed("record", f"{name} is not as it was sealed.")


def check_record(document, record, report):
    session, integrity = document["session"], document["integrity"]
    before = sum(each["result"] == "failed" for each in report.found)
    if integrity.get("leafSource") == "submitted":
        check_submission(document, record, report)
    else:
        check_own_record(document, record, report)
    check_sums(document, session, report)
    for step in objects(document, "steps"):
        scores = [
            {name: each.get(name) for name in ("name", "value", "label")}
            for each in objects(document, "scores")
            if each.get("stepId") == step.get("stepId")
        ]
        if not same(scores, step.get("scores")):
            report.on(f"step {step.get('stepId')}").failed("record", "Its scores are not the document's.")
    if sum(each["result"] == "failed" for each in report.found) == before:
        report.verified("record", "The document tells what was sealed.")


def check_own_record(document, record, report):
    """The record that the service keeps of a session in spans, member for member."""
    if record.get("recordVersion") != "1.0":
        report.unchecked("record", "Another version of records.")
        return
    session = document["session"]
    application = document.get("application")
    told_elsewhere = {
        "tenantId": document,
        "applicationId": application if isinstance(application, dict) else {},
        "revision": document["integrity"],
        "policyResults": document,
        "scores": document,
    }
    differ("applicationId", record, session, report)
    for name in {*record, *told_elsewhere} - {"recordVersion", "steps"}:
        differ(name, record, told_elsewhere.get(name, session), report)
    sealed = objects(record, "steps")
    check_ids(sealed, document, report, in_order=True)
    shown = {name_of(step.get("stepId")): step for step in objects(document, "steps")}
    for step in sealed:
        name = name_of(step.get("stepId"))
        if name in shown:
            check_own_step(step, shown[name], report.on(f"step {name}"))


def check_own_step(step, shown, report):
    for name in set(step) - {"payloads"}:
        differ(name, step, shown, report)
    payload, digests = shown.get("payload"), objects(step, "payloads")
    if not isinstance(payload, dict):
        if payload is not None:
            report.failed("content", "Its payload is no object.")
        elif digests and shown.get("payloadStatus") == "erased":
            report.noted("content", "Its content was erased.")
        elif digests:
            report.failed("content", "Its content is missing.")
        return
    nonces = payload.get("nonces")
    nonces = nonces if isinstance(nonces, dict) else {}
    for digest in digests:
        name = str(digest.get("field"))
        try:
            text = canonical([nonces.get(name), payload.get(name)]) if isinstance(nonces.get(name), str) else b""
        except NoCanonicalForm:
            text = b""
        if sha256(text) != digest.get("digest") or len(text) != digest.get("bytes"):
            report.failed("content", f"Its {name} is not what was sealed.")
    for name in CONTENT:
        if payload.get(name) is not None and all(each.get("field") != name for each in digests):
            report.failed("content", f"Its {name} was added.")


def check_ids(sealed, document, report, in_order):
    shown = [name_of(step.get("stepId")) for step in objects(document, "steps")]
    wanted = [name_of(step.get("stepId")) for step in sealed]
    for step_id in set(shown) ^ set(wanted):
        report.on(f"step {step_id}").failed("record", "A step of one of record and document alone.")
    if len(set(shown)) < len(shown):
        report.failed("record", "A step twice.")
    elif in_order and set(shown) == set(wanted) and shown != wanted:
        report.failed("record", "Steps in another order.")


def check_sums(document, session, report):
    """What a session tells of its steps and times."""
    steps = objects(document, "steps")

    def total(name):
        return sum(step[name] for step in steps if isinstance(step.get(name), float))

    start, end = instant(session.get("startedAt")), instant(session.get("endedAt"))
    sums = {
        "stepCount": len(steps),
        "errorCount": sum(step.get("status") != "ok" for step in steps),
        "inputTokens": total("inputTokens"),
        "outputTokens": total("outputTokens"),
        "durationMs": None if start is None or end is None else end - start,
    }
    for name, computed in sums.items():
        if not isinstance(session.get(name), float) or session[name] != computed:
            report.failed("record", f"{name} is not that of its steps.")
    models = {step["model"] for step in steps if isinstance(step.get("model"), str)}
    named = session.get("models") if isinstance(session.get("models"), list) else []
    if len(named) != min(len(models), MOST_MODELS) or any(not isinstance(model, str) or model not in models for model in named) or (
        len(set(map(repr, named))) < len(named)
    ):
        report.failed("record", "Its models are not those of its steps.")


def check_submission(document, sent, report):
    """A session as its application submitted it, which the service shows in its own way."""
    session = document["session"]
    application = document.get("application")
    differ("sessionId", sent, session, report)
    differ("status", sent, session, report)
    differ("applicationId", application if isinstance(application, dict) else {}, session, report)
    check_times(sent, session, report)
    agent = sent.get("agent")
    agent = {"name": agent.get("name"), "version": agent.get("version")} if isinstance(agent, dict) else None
    differ("agent", {"agent": agent}, session, report)
    check_content("metadata", sent, session, report)
    steps = objects(sent, "steps")
    check_ids(steps, document, report, in_order=False)
    told = [step.get("startedAt") for step in objects(document, "steps")]
    starts = [text if isinstance(text, str) else "" for text in told]
    if starts != sorted(starts):
        report.failed("record", "Steps do not stand by their start.")
    shown, people = {name_of(step.get("stepId")): step for step in objects(document, "steps")}, {}
    for step in steps:
        step_name = name_of(step.get("stepId"))
        if step_name not in shown:
            continue
        each, about = shown[step_name], report.on(f"step {step_name}")
        for name in ("parentStepId", "type", "name", "status", "model", "inputTokens", "outputTokens", "toolName"):
            differ(name, step, each, about)
        differ("checkpointId", step, each, about)
        check_times(step, each, about)
        differ("late", {"late": False}, each, about)
        categories = step.get("dataCategories")
        differ("dataCategories", {"dataCategories": [] if categories is None else categories}, each, about)
        payload = each.get("payload") if isinstance(each.get("payload"), dict) else {}
        if each.get("payload") is not None or each.get("payloadStatus") != "erased":
            for name in CONTENT:
                check_content(name, step, payload, about)
        if not is_person(step.get("dataSubjectId"), each.get("dataSubjectId"), people):
            about.failed("record", "Another person.")
    if not any(is_person(name, session.get("dataSubjectId"), people) for name in owners(sent, steps)):
        report.failed("record", "Another person.")
    own = [each for each in objects(document, "policyResults") if each.get("source") == "application"]
    if not is_same_set(results(objects(sent, "policyResults")), results(own)):
        report.failed("record", "The application's policy results are not as they were sealed.")
    if not is_same_set(scores(objects(sent, "scores")), scores(objects(document, "scores"))):
        report.failed("record", "The scores are not as they were sealed.")


def check_times(sealed, shown, report):
    for name in ("startedAt", "endedAt"):
        at = instant(sealed.get(name))
        if at is None or shown.get(name) != time_text(at):
            report.failed("record", f"{name} is not as it was sealed.")


def check_content(name, sealed, shown, report):
    if sealed.get(name) not in (None, {}) or shown.get(name) not in (None, {}):
        differ(name, sealed, shown, report)


def is_person(name, pseudonym, people):
    """Whether a name goes with a pseudonym as with all before: one name has one pseudonym, and another another."""
    if name is None and pseudonym is None:
        return True
    if not isinstance(name, str) or not isinstance(pseudonym, str):
        return False
    people.setdefault(("name", name), pseudonym)
    people.setdefault(("pseudonym", pseudonym), name)
    return people["name", name] == pseudonym and people["pseudonym", pseudonym] == name


def owners(sent, steps):
    """Whose a session can be: whom it names, else whom the earliest of its steps name."""
    people = [step for step in steps if isinstance(step.get("dataSubjectId"), str)]
    named = [(instant(step.get("startedAt")), step["dataSubjectId"]) for step in people]
    if isinstance(sent.get("dataSubjectId"), str) or not named:
        return [sent.get("dataSubjectId")]
    first = min((at for at, _ in named if at is not None), default=())
    return [name for at, name in named if at == first]


def results(items):
    rule_name = lambda each: each.get("ruleId") if each.get("ruleName") is None else each["ruleName"]
    return [[each.get("ruleId"), rule_name(each), each.get("effect"), each.get("stepId")] for each in items]


def scores(items):
    return [[each.get(name) for name in ("name", "value", "label", "stepId")] for each in items]


def is_same_set(one, other):
    """Whether two lists have the same items, in whatever order and however often."""
    try:
        return {canonical(each) for each in one} == {canonical(each) for each in other}
    except NoCanonicalForm:
        return False
