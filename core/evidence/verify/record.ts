import { bytesToHex } from '@noble/hashes/utils.js'
import { leafHash } from '../../base/merkle/hash.ts'
import { payloadDigestOf } from '../../proof/commitment.ts'
import { canonicalBytes } from '../../proof/signed-text.ts'
import { checkScores, checkStepIds, checkSums, differ, failures, stepsById } from './compare.ts'
import type { Report } from './finding.ts'
import { bytesOrNull, type Json, objectAt, objectsAt, textAt, textOf } from './read.ts'
import { checkSubmission } from './submission.ts'

/** Checks that the leaf is the hash of its input. Yields the input where it is there and fits. */
export function checkLeaf(integrity: Json, report: Report): Json | null {
  const status = textAt(integrity, 'leafInputStatus')
  const input = objectAt(integrity, 'leafInput')
  const allowed = statusesOf(integrity)
  if (status === null || !allowed.includes(status) || (status === 'present') !== (input !== null)) {
    report.failed(
      'leaf',
      `Its leafInputStatus is ${textOf(status)}${input === null ? ', without a sealed record' : ''}; of this leaf it can be ${allowed.join(' or ')}.`,
    )
    return null
  }
  if (input === null) {
    report.noted('leaf', wordsOfMissing(status))
    return null
  }
  const bytes = bytesOrNull(() => canonicalBytes(input))
  const computed = bytes === null ? null : bytesToHex(leafHash(bytes))
  if (computed === null || computed !== integrity.leafHash) {
    report.failed(
      'leaf',
      `The sealed record hashes to ${computed ?? 'nothing'}, not to the leaf ${textOf(integrity.leafHash)}.`,
    )
    return null
  }
  if ('leafType' in input) {
    report.failed('leaf', `The leaf is that of a ${textOf(input.leafType)}, not of a session.`)
    return null
  }
  report.verified('leaf', `The sealed record hashes to the leaf ${computed}.`)
  return input
}

/**
 * The values that `leafInputStatus` can have. The service's record holds no content, so an erasure leaves it present; a
 * submission holds content, which an erasure destroys and a redaction policy removes.
 */
function statusesOf({ leafSource, leafHash, merkle, anchor }: Json): readonly string[] {
  const isSealed = typeof leafHash === 'string'
  if (leafSource === 'record' && isSealed) return ['present']
  if (leafSource === 'submitted' && isSealed) return ['present', 'erased', 'redacted']
  const hasNone = [leafSource, leafHash, merkle, anchor].every((member) => member === null)
  return hasNone ? ['not_sealed'] : []
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

/** Members that `checkOwnRecord` checks by name; it compares all others with the document's session. */
const apart = new Set([
  // Version and ids, then lists.
  ...['recordVersion', 'tenantId', 'applicationId', 'revision'],
  ...['steps', 'policyResults', 'scores'],
])

/**
 * Checks that the document shows its leaf's input, complete and unaltered: a record of the service member by member, a
 * submission in the form in which the service takes it.
 */
export function checkRecord(document: Json, record: Json, report: Report): void {
  const before = failures(report)
  const session = objectAt(document, 'session') ?? {}
  const integrity = objectAt(document, 'integrity') ?? {}
  if (integrity.leafSource === 'submitted') checkSubmission(document, record, report)
  else checkOwnRecord(document, record, report)
  checkSums(document, session, report)
  checkScores(document, report)
  if (failures(report) > before) return
  const count = objectsAt(record, 'steps')?.length ?? 0
  report.verified('record', `The document tells what was sealed: ${count} steps.`)
}

function checkOwnRecord(document: Json, record: Json, report: Report): void {
  if (record.recordVersion !== '1.0') {
    report.unchecked(
      'record',
      `Record version ${textOf(record.recordVersion)} is not known here; get a newer verifier.`,
    )
    return
  }
  const session = objectAt(document, 'session') ?? {}
  differ('tenantId', record, document, report)
  differ('applicationId', record, objectAt(document, 'application') ?? {}, report)
  differ('applicationId', record, session, report)
  differ('revision', record, objectAt(document, 'integrity') ?? {}, report)
  // Only a running session shows one of these otherwise, its `endedAt` as null, and it is never sealed.
  for (const member of Object.keys(record))
    if (!apart.has(member)) differ(member, record, session, report)
  const sealed = objectsAt(record, 'steps') ?? []
  const shown = stepsById(document)
  checkStepIds(sealed, document, report)
  for (const step of sealed) {
    const each = shown.get(step.stepId)
    if (each) checkStep(step, each, report.on(`step ${textOf(step.stepId)}`))
  }
  for (const member of ['policyResults', 'scores']) differ(member, record, document, report)
}

function checkStep(step: Json, shown: Json, report: Report): void {
  for (const member of Object.keys(step))
    if (member !== 'payloads') differ(member, step, shown, report)
  const payload = objectAt(shown, 'payload')
  const digests = objectsAt(step, 'payloads') ?? []
  if (payload === null) {
    if ((shown.payload ?? null) !== null) report.failed('content', 'Its payload is no object.')
    else if (digests.length > 0 && shown.payloadStatus === 'erased')
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
    const name = textOf(field)
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
