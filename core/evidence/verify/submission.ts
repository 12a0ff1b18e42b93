import { isObject } from '../../base/events/shape.ts'
import { checkStepIds, differ, isSame, stepsById } from './compare.ts'
import type { Report } from './finding.ts'
import { type Json, msOf, nameOf, objectAt, objectsAt, textAt, textOf } from './read.ts'

/** Members of a submitted step that the document repeats; absent is null. */
const stepMembers = [
  ...['parentStepId', 'type', 'name', 'status', 'model'],
  ...['inputTokens', 'outputTokens', 'toolName', 'checkpointId'],
]

/**
 * Checks that a document tells what an application submitted, as the service takes it: times in UTC, an agent with its
 * version or null, lists that are absent as empty, content that is empty as none. Data subjects have pseudonyms, which
 * the verifier can not compute: one name must have one pseudonym, and another another.
 */
export function checkSubmission(document: Json, submission: Json, report: Report): void {
  const session = objectAt(document, 'session') ?? {}
  for (const member of ['sessionId', 'status']) differ(member, submission, session, report)
  differ('applicationId', objectAt(document, 'application') ?? {}, session, report)
  checkTimes(submission, session, report)
  const agent = objectAt(submission, 'agent')
  const shownAgent = agent ? { name: agent.name, version: agent.version ?? null } : null
  differ('agent', { agent: shownAgent }, session, report)
  differContent('metadata', submission, session, report)

  const sealed = objectsAt(submission, 'steps') ?? []
  const shown = stepsById(document)
  checkStepIds(sealed, document, report, { inOrder: false })
  checkOrder(document, report)
  const people = pseudonyms()
  for (const step of sealed) {
    const each = shown.get(step.stepId)
    if (each === undefined) continue
    const about = report.on(`step ${textOf(step.stepId)}`)
    checkStep(step, each, about)
    if (!people.fit(step.dataSubjectId, each.dataSubjectId))
      about.failed('record', 'Its dataSubjectId is not that of the person who was sealed.')
  }
  if (!ownersOf(submission, sealed).some((name) => people.fit(name, session.dataSubjectId)))
    report.failed('record', 'Its dataSubjectId is not that of the person who was sealed.')
  checkJudgements(document, submission, report)
}

function checkTimes(sealed: Json, shown: Json, report: Report): void {
  for (const member of ['startedAt', 'endedAt']) {
    const at = msOf(sealed[member])
    const time = Number.isNaN(at) ? null : new Date(at).toISOString()
    if (time === null || shown[member] !== time)
      report.failed('record', `Its ${member} differs from what was sealed.`)
  }
}

function checkStep(step: Json, shown: Json, report: Report): void {
  for (const member of stepMembers) differ(member, step, shown, report)
  checkTimes(step, shown, report)
  differ('late', { late: false }, shown, report)
  differ('dataCategories', { dataCategories: step.dataCategories ?? [] }, shown, report)
  const payload = objectAt(shown, 'payload')
  // An erased step of a submission that is still readable: another subject's, whose content is not this one's to show.
  if ((shown.payload ?? null) === null && shown.payloadStatus === 'erased') return
  for (const member of ['input', 'output', 'attributes'])
    differContent(member, step, payload ?? {}, report)
}

function differContent(member: string, sealed: Json, shown: Json, report: Report): void {
  if (!isEmpty(sealed[member]) || !isEmpty(shown[member])) differ(member, sealed, shown, report)
}

/** Content that a step is kept without: none, or an object without members. */
function isEmpty(content: unknown): boolean {
  if (content === null || content === undefined) return true
  return isObject(content) && Object.keys(content).length === 0
}

/** Steps stand by their start. */
function checkOrder(document: Json, report: Report): void {
  const starts = (objectsAt(document, 'steps') ?? []).map((step) => textAt(step, 'startedAt') ?? '')
  if (starts.some((start, at) => at > 0 && start < (starts[at - 1] ?? '')))
    report.failed('record', 'Its steps do not stand by their start.')
}

/** Names of people and the pseudonyms that they are shown under. */
function pseudonyms() {
  const byName = new Map<string, string>()
  const byPseudonym = new Map<string, string>()
  return {
    fit(name: unknown, pseudonym: unknown): boolean {
      const [sealed, shown] = [name ?? null, pseudonym ?? null]
      if (sealed === null && shown === null) return true
      if (typeof sealed !== 'string' || typeof shown !== 'string') return false
      if (!byName.has(sealed)) byName.set(sealed, shown)
      if (!byPseudonym.has(shown)) byPseudonym.set(shown, sealed)
      return byName.get(sealed) === shown && byPseudonym.get(shown) === sealed
    },
  }
}

/** Whose a session can be: whom it names, else whom the earliest of its steps name that name somebody. */
function ownersOf({ dataSubjectId }: Json, steps: readonly Json[]): readonly unknown[] {
  const named = steps
    .filter((step) => typeof step.dataSubjectId === 'string')
    .map((step) => ({ name: step.dataSubjectId, at: msOf(step.startedAt) }))
  if (typeof dataSubjectId === 'string' || named.length === 0) return [dataSubjectId]
  const first = named.reduce((earliest, { at }) => Math.min(earliest, at), Number.POSITIVE_INFINITY)
  return named.filter(({ at }) => at === first).map(({ name }) => name)
}

/** The application's own policy results, and scores; what the service's rules found is in no submission. */
function checkJudgements(document: Json, submission: Json, report: Report): void {
  const results = (of: Json) =>
    (objectsAt(of, 'policyResults') ?? []).map((result) => ({
      ruleId: result.ruleId,
      ruleName: result.ruleName ?? result.ruleId,
      effect: result.effect,
      stepId: result.stepId ?? null,
    }))
  const own = (objectsAt(document, 'policyResults') ?? []).filter(
    ({ source }) => source === 'application',
  )
  if (!isSameSet(results(submission), results({ policyResults: own })))
    report.failed('record', 'The application’s policyResults differ from what was sealed.')
  const scores = (of: Json) =>
    (objectsAt(of, 'scores') ?? []).map(({ name, value, label, stepId }) => ({
      name,
      value,
      label: label ?? null,
      stepId: stepId ?? null,
    }))
  if (!isSameSet(scores(submission), scores(document)))
    report.failed('record', 'Its scores differ from what was sealed.')
}

/** Whether two lists have the same items, in whatever order and however often. */
function isSameSet(sealed: readonly Json[], shown: readonly Json[]): boolean {
  const sorted = (items: readonly Json[]) =>
    [...new Set(items.map((item) => nameOf(item)))].toSorted()
  return isSame(sorted(sealed), sorted(shown))
}
