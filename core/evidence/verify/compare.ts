import { canonicalize } from '../../base/canonical/canonicalize.ts'
import { documentLevels } from '../../proof/signed-text.ts'
import type { Report } from './finding.ts'
import { bytesOrNull, type Json, msOf, objectsAt, textAt, textOf } from './read.ts'

/** Whether two values have the same canonical JSON; absent is null. */
export function isSame(a: unknown, b: unknown): boolean {
  const [one, other] = [a ?? null, b ?? null]
  if (one === other && typeof one !== 'object') return isCanonical(one)
  return bytesOrNull(() => canonicalOf(one) === canonicalOf(other)) === true
}

/** Of a scalar: text with half a surrogate pair has no canonical form. */
function isCanonical(scalar: unknown): boolean {
  return typeof scalar !== 'string' || bytesOrNull(() => canonicalOf(scalar)) !== null
}

function canonicalOf(value: unknown): string {
  return canonicalize(value, documentLevels)
}

/** Adds a failure where a member of the sealed record and of the document differ; absent is null. */
export function differ(member: string, sealed: Json, shown: Json, report: Report): void {
  if (!isSame(sealed[member], shown[member]))
    report.failed('record', `Its ${member} differs from what was sealed.`)
}

/**
 * Fails the form where one of these members is something else than a list of objects; absent is none. One item that is no
 * object would hide all others from whoever reads the list.
 */
export function checkLists(value: Json, members: readonly string[], report: Report): void {
  for (const member of members)
    if ((value[member] ?? null) !== null && objectsAt(value, member) === null)
      report.failed('form', `Expected its ${member} as a list of objects.`)
}

/**
 * Whether each of these members is a text with something in it; fails the form where one is not. They are ids: by anything
 * else two things would be taken for one.
 */
export function hasTexts(value: Json, members: readonly string[], report: Report): boolean {
  const missing = members.filter((member) => (textAt(value, member) ?? '') === '')
  for (const member of missing)
    report.failed('form', `Expected its ${member} as text, got ${textOf(value[member])}.`)
  return missing.length === 0
}

export function failures(report: Report): number {
  return report.all.filter(({ result }) => result === 'failed').length
}

/** The steps of a document by id, each as it is given: 1 is another than "1". */
export function stepsById(document: Json): ReadonlyMap<unknown, Json> {
  return new Map((objectsAt(document, 'steps') ?? []).map((step) => [step.stepId, step]))
}

/** Checks that a document has the steps that were sealed, each once; `inOrder`: and in their order. */
export function checkStepIds(
  sealed: readonly Json[],
  document: Json,
  report: Report,
  { inOrder = true } = {},
): void {
  const ids = (objectsAt(document, 'steps') ?? []).map(({ stepId }) => stepId)
  const expected = sealed.map(({ stepId }) => stepId)
  const [shown, wanted] = [new Set(ids), new Set(expected)]
  for (const id of wanted)
    if (!shown.has(id))
      report
        .on(`step ${textOf(id)}`)
        .failed('record', 'The sealed record has this step, the document does not.')
  for (const id of shown)
    if (!wanted.has(id))
      report
        .on(`step ${textOf(id)}`)
        .failed('record', 'The document has this step, its sealed record does not.')
  if (ids.length !== shown.size) report.failed('record', 'The document has a step twice.')
  else if (inOrder && shown.size === wanted.size && ids.some((id, at) => id !== expected[at]))
    report.failed('record', 'Its steps stand in another order than they were sealed in.')
}

/** Checks that steps tell the scores that the document has of them. */
export function checkScores(document: Json, report: Report): void {
  const byStep = new Map<unknown, Json[]>()
  for (const { stepId, name, value, label } of objectsAt(document, 'scores') ?? []) {
    const own = byStep.get(stepId)
    if (own) own.push({ name, value, label })
    else byStep.set(stepId, [{ name, value, label }])
  }
  for (const step of objectsAt(document, 'steps') ?? []) {
    if (!isSame(byStep.get(step.stepId) ?? [], step.scores))
      report
        .on(`step ${textOf(step.stepId)}`)
        .failed('record', 'Its scores are not those that the document has of it.')
  }
}

/** Models that a session names at most. */
const mostModels = 50

/** Checks what a session tells of its steps: how many there are, their errors, tokens, models and its own duration. */
export function checkSums(document: Json, session: Json, report: Report): void {
  const steps = objectsAt(document, 'steps') ?? []
  const sum = (member: string) =>
    steps.reduce((total, { [member]: each }) => total + (typeof each === 'number' ? each : 0), 0)
  const models = new Set<unknown>(
    steps.flatMap(({ model }) => (typeof model === 'string' ? model : [])),
  )
  const named: readonly unknown[] = Array.isArray(session.models) ? session.models : []
  const duration = msOf(session.endedAt) - msOf(session.startedAt)
  const sums: Json = {
    stepCount: steps.length,
    errorCount: steps.filter(({ status }) => status !== 'ok').length,
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    durationMs: duration,
  }
  for (const [member, computed] of Object.entries(sums))
    if (session[member] !== computed)
      report.failed(
        'record',
        `Its ${member} is ${textOf(session[member])}, by its steps and times it is ${textOf(computed)}.`,
      )
  const isNamed = named.length === new Set(named).size && named.length <= mostModels
  const isWhole = named.length === Math.min(models.size, mostModels)
  if (!isNamed || !isWhole || named.some((model) => !models.has(model)))
    report.failed('record', 'Its models are not those of its steps.')
}
