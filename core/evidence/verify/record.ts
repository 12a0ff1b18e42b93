import { bytesToHex } from '@noble/hashes/utils.js'
import { isObject } from '../../base/events/shape.ts'
import { leafHash } from '../../base/merkle/hash.ts'
import { payloadDigestOf } from '../../proof/commitment.ts'
import { canonicalBytes } from '../../proof/signed-text.ts'
import type { Report } from './finding.ts'
import { type Json, objectAt, objectsAt, textAt } from './read.ts'
import { bytesOrNull } from './signature.ts'

/** Checks that the leaf is the hash of its input. Yields the input where it is there and fits. */
export function checkLeaf(integrity: Json, report: Report): Json | null {
  const status = textAt(integrity, 'leafInputStatus')
  const input = objectAt(integrity, 'leafInput')
  if (input === null) {
    if (status === 'present')
      report.failed('leaf', 'The sealed record is said to be present, and is missing.')
    else report.noted('leaf', wordsOfMissing(status))
    return null
  }
  const bytes = bytesOrNull(() => canonicalBytes(input))
  const computed = bytes === null ? null : bytesToHex(leafHash(bytes))
  if (computed === null || computed !== integrity.leafHash) {
    report.failed(
      'leaf',
      `The sealed record hashes to ${computed ?? 'nothing'}, not to the leaf ${String(integrity.leafHash)}.`,
    )
    return null
  }
  report.verified('leaf', `The sealed record hashes to the leaf ${computed}.`)
  return input
}

function wordsOfMissing(status: string | null): string {
  switch (status) {
    case 'erased':
      return 'The submitted record was erased; its place in the tree can still be verified, its content can not.'
    case 'redacted':
      return 'The submitted record was redacted before it was stored, so its leaf can not be computed again.'
    default:
      return 'This revision of the session is not sealed yet.'
  }
}

/** Members of a step that a sealed record repeats. */
const stepMembers = [
  'parentStepId',
  'type',
  'name',
  'startedAt',
  'endedAt',
  'status',
  'model',
  'inputTokens',
  'outputTokens',
  'toolName',
  'late',
]
const sessionMembers = ['status', 'startedAt', 'endedAt', 'agent']

/** Checks that the document agrees with its sealed record: identity, session, steps, content by its digests. */
export function checkRecord(document: Json, record: Json, report: Report): void {
  const before = failures(report)
  const session = objectAt(document, 'session') ?? {}
  const application = objectAt(document, 'application') ?? {}
  const submitted = objectAt(document, 'integrity')?.leafSource === 'submitted'
  differ('sessionId', record, session, report)
  if (!submitted) {
    differ('tenantId', record, document, report)
    differ('applicationId', record, application, report)
    for (const member of sessionMembers) differ(member, record, session, report)
  }
  const shownSteps = byId(objectsAt(document, 'steps') ?? [])
  const sealed = objectsAt(record, 'steps') ?? []
  for (const step of sealed) {
    const id = String(step.stepId)
    const each = report.on(`step ${id}`)
    const shown = shownSteps.get(id)
    shownSteps.delete(id)
    if (shown === undefined)
      each.failed('record', 'The sealed record has this step, the document does not.')
    else if (submitted) checkSubmittedStep(step, shown, each)
    else checkStep(step, shown, each)
  }
  for (const id of shownSteps.keys())
    report
      .on(`step ${id}`)
      .failed('record', 'The document has this step, its sealed record does not.')
  checkPolicyResults(document, record, report)
  if (failures(report) === before)
    report.verified('record', `The document tells what was sealed: ${sealed.length} steps.`)
}

function checkStep(step: Json, shown: Json, report: Report): void {
  for (const member of stepMembers) differ(member, step, shown, report)
  const payload = objectAt(shown, 'payload')
  const digests = objectsAt(step, 'payloads') ?? []
  if (payload === null) {
    if (digests.length > 0 && shown.payloadStatus === 'erased')
      report.noted(
        'content',
        `Its content was erased; ${digests.length} digests of it remain and say nothing of it.`,
      )
    else if (digests.length > 0)
      report.failed('content', 'Its sealed content is missing, and no erasure is said.')
    return
  }
  const nonces = objectAt(payload, 'nonces') ?? {}
  const fields = new Set(['input', 'output', 'attributes'])
  for (const { field, bytes, digest } of digests) {
    const name = String(field)
    fields.delete(name)
    const nonce = textAt(nonces, name)
    const computed =
      nonce === null ? null : bytesOrNull(() => payloadDigestOf(nonce, payload[name] ?? null))
    if (computed === null || computed.digest !== digest || computed.bytes !== bytes)
      report.failed('content', `Its ${name} is not what was sealed: the digest differs.`)
  }
  for (const name of fields)
    if (payload[name] !== null && payload[name] !== undefined)
      report.failed('content', `Its ${name} is in no sealed digest: it was added.`)
}

/** A submitted record holds the content itself. */
function checkSubmittedStep(step: Json, shown: Json, report: Report): void {
  for (const member of ['type', 'name', 'status']) differ(member, step, shown, report)
  const payload = objectAt(shown, 'payload')
  // An erased step of a submission that is still readable: another subject's, whose content is not this one's to show.
  if (payload === null && shown.payloadStatus === 'erased') return
  for (const member of ['input', 'output', 'attributes'])
    if (!isEmpty(step[member]) || !isEmpty(payload?.[member]))
      differ(member, step, payload ?? {}, report)
}

/** Content that a step is kept without: none, or an object without members. */
function isEmpty(content: unknown): boolean {
  if (content === null || content === undefined) return true
  return isObject(content) && Object.keys(content).length === 0
}

function checkPolicyResults(document: Json, record: Json, report: Report): void {
  const nameOf = (result: Json) =>
    JSON.stringify(['ruleId', 'effect', 'stepId'].map((member) => result[member] ?? null))
  const shown = new Set((objectsAt(document, 'policyResults') ?? []).map(nameOf))
  for (const result of objectsAt(record, 'policyResults') ?? [])
    if (!shown.has(nameOf(result)))
      report.failed(
        'record',
        `The document lacks the sealed result of policy rule ${String(result.ruleId)}.`,
      )
}

/** Adds a failure where a member of the sealed record and of the document differ; absent is null. */
function differ(member: string, sealed: Json, shown: Json, report: Report): void {
  const same = bytesOrNull(
    () =>
      bytesToHex(canonicalBytes(sealed[member] ?? null)) ===
      bytesToHex(canonicalBytes(shown[member] ?? null)),
  )
  if (same !== true) report.failed('record', `Its ${member} differs from what was sealed.`)
}

function byId(steps: readonly Json[]): Map<string, Json> {
  return new Map(steps.filter(isObject).map((step) => [String(step.stepId), step]))
}

function failures(report: Report): number {
  return report.all.filter(({ result }) => result === 'failed').length
}
