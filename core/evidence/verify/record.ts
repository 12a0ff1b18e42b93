import { bytesToHex } from '@noble/hashes/utils.js'
import { isObject } from '../../base/events/shape.ts'
import { leafHash } from '../../base/merkle/hash.ts'
import { payloadDigestOf } from '../../proof/commitment.ts'
import { canonicalBytes } from '../../proof/signed-text.ts'
import type { Findings } from './finding.ts'
import { type Json, objectAt, objectsAt, textAt } from './read.ts'
import { bytesOrNull } from './signature.ts'

/** Checks that the leaf is the hash of its input. Yields the input where it is there and fits. */
export function checkLeaf(integrity: Json, about: string, findings: Findings): Json | null {
  const status = textAt(integrity, 'leafInputStatus')
  const input = objectAt(integrity, 'leafInput')
  if (input === null) {
    if (status === 'present')
      findings.add(
        'failed',
        'leaf',
        about,
        'The sealed record is said to be present, and is missing.',
      )
    else findings.add('noted', 'leaf', about, wordsOfMissing(status))
    return null
  }
  const bytes = bytesOrNull(() => canonicalBytes(input))
  const computed = bytes === null ? null : bytesToHex(leafHash(bytes))
  if (computed === null || computed !== integrity.leafHash) {
    findings.add(
      'failed',
      'leaf',
      about,
      `The sealed record hashes to ${computed ?? 'nothing'}, not to the leaf ${String(integrity.leafHash)}.`,
    )
    return null
  }
  findings.add('verified', 'leaf', about, `The sealed record hashes to the leaf ${computed}.`)
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

/** Checks that the document tells what its sealed record says: identity, session, steps, content by its digests. */
export function checkRecord(document: Json, record: Json, about: string, findings: Findings): void {
  const before = failures(findings)
  const session = objectAt(document, 'session') ?? {}
  const application = objectAt(document, 'application') ?? {}
  const submitted = objectAt(document, 'integrity')?.leafSource === 'submitted'
  differ('sessionId', record, session, about, findings)
  if (!submitted) {
    differ('tenantId', record, document, about, findings)
    differ('applicationId', record, application, about, findings)
    for (const member of sessionMembers) differ(member, record, session, about, findings)
  }
  const told = byId(objectsAt(document, 'steps') ?? [])
  const sealed = objectsAt(record, 'steps') ?? []
  for (const step of sealed) {
    const id = String(step.stepId)
    const shown = told.get(id)
    told.delete(id)
    if (shown === undefined)
      findings.add(
        'failed',
        'record',
        `step ${id}`,
        'The sealed record has this step, the document does not.',
      )
    else if (submitted) checkSubmittedStep(step, shown, id, findings)
    else checkStep(step, shown, id, findings)
  }
  for (const id of told.keys())
    findings.add(
      'failed',
      'record',
      `step ${id}`,
      'The document has this step, its sealed record does not.',
    )
  checkPolicyResults(document, record, about, findings)
  if (failures(findings) === before)
    findings.add(
      'verified',
      'record',
      about,
      `The document tells what was sealed: ${sealed.length} steps.`,
    )
}

function checkStep(step: Json, shown: Json, id: string, findings: Findings): void {
  for (const member of stepMembers) differ(member, step, shown, `step ${id}`, findings)
  const payload = objectAt(shown, 'payload')
  const digests = objectsAt(step, 'payloads') ?? []
  if (payload === null) {
    if (digests.length > 0 && shown.payloadStatus === 'erased')
      findings.add(
        'noted',
        'content',
        `step ${id}`,
        `Its content was erased; ${digests.length} digests of it remain and say nothing of it.`,
      )
    else if (digests.length > 0)
      findings.add(
        'failed',
        'content',
        `step ${id}`,
        'Its sealed content is missing, and no erasure is said.',
      )
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
      findings.add(
        'failed',
        'content',
        `step ${id}`,
        `Its ${name} is not what was sealed: the digest differs.`,
      )
  }
  for (const name of fields)
    if (payload[name] !== null && payload[name] !== undefined)
      findings.add(
        'failed',
        'content',
        `step ${id}`,
        `Its ${name} is in no sealed digest: it was added.`,
      )
}

/** A submitted record holds the content itself. */
function checkSubmittedStep(step: Json, shown: Json, id: string, findings: Findings): void {
  for (const member of ['type', 'name', 'status'])
    differ(member, step, shown, `step ${id}`, findings)
  const payload = objectAt(shown, 'payload')
  // An erased step of a submission that is still readable: another subject's, whose content is not this one's to show.
  if (payload === null && shown.payloadStatus === 'erased') return
  for (const member of ['input', 'output', 'attributes'])
    if (!isEmpty(step[member]) || !isEmpty(payload?.[member]))
      differ(member, step, payload ?? {}, `step ${id}`, findings)
}

/** Content that a step is kept without: none, or an object without members. */
function isEmpty(content: unknown): boolean {
  if (content === null || content === undefined) return true
  return isObject(content) && Object.keys(content).length === 0
}

function checkPolicyResults(document: Json, record: Json, about: string, findings: Findings): void {
  const nameOf = (result: Json) =>
    JSON.stringify(['ruleId', 'effect', 'stepId'].map((member) => result[member] ?? null))
  const shown = new Set((objectsAt(document, 'policyResults') ?? []).map(nameOf))
  for (const result of objectsAt(record, 'policyResults') ?? [])
    if (!shown.has(nameOf(result)))
      findings.add(
        'failed',
        'record',
        about,
        `The document lacks the sealed result of policy rule ${String(result.ruleId)}.`,
      )
}

/** Adds a failure where a member of the sealed record and of the document differ; absent is null. */
function differ(
  member: string,
  sealed: Json,
  shown: Json,
  about: string,
  findings: Findings,
): void {
  const same = bytesOrNull(
    () =>
      bytesToHex(canonicalBytes(sealed[member] ?? null)) ===
      bytesToHex(canonicalBytes(shown[member] ?? null)),
  )
  if (same !== true)
    findings.add('failed', 'record', about, `Its ${member} differs from what was sealed.`)
}

function byId(steps: readonly Json[]): Map<string, Json> {
  return new Map(steps.filter(isObject).map((step) => [String(step.stepId), step]))
}

function failures(findings: Findings): number {
  return findings.all.filter(({ result }) => result === 'failed').length
}
