import { isObject } from '../../base/events/shape.ts'
import { logHashOf } from './audit-log.ts'
import { isSame } from './compare.ts'
import { createReport, type KeyEntry, type Report, type ReviewerKeys } from './finding.ts'
import { hashOf, type Json, msOf, numberOf, objectAt, objectsAt, textAt, textOf } from './read.ts'

/** Reads `authenticators.json` and checks each key against the log's entries of it. */
export function readReviewerKeys(document: unknown): ReviewerKeys {
  const report = createReport('authenticators.json')
  const keys = new Map<string, Json>()
  const entries = new Map<number, KeyEntry>()
  const all = isObject(document) ? objectsAt(document, 'authenticators') : null
  if (all === null) report.failed('decision', 'Expected a list of authenticators.')
  for (const key of all ?? []) {
    const kid = textAt(key, 'kid')
    const about = report.on(`authenticator ${textOf(kid)}`)
    if (kid === null || keys.has(kid)) about.failed('decision', 'Expected each by its kid, once.')
    else keys.set(kid, key)
    checkEntries(key, entries, about)
  }
  return { keys, entries, findings: report.all }
}

/** Checks that the log tells of the key's enrolment and revocation what the key tells. */
function checkEntries(key: Json, entries: Map<number, KeyEntry>, report: Report): void {
  const logged = objectsAt(key, 'entries') ?? []
  for (const { position, previousHash, hash, ...text } of logged) {
    const before = hashOf(previousHash)
    const computed = before && logHashOf(before, text)
    if (typeof position !== 'number' || computed === null || computed !== hash)
      report.failed('decision', 'An entry of the audit log about it was changed.')
    else if (entries.has(position)) report.failed('decision', 'An entry is told twice.')
    else {
      const { subject, at } = text
      entries.set(position, { hash: computed, previousHash, subject, at: msOf(at) })
    }
  }
  const of = (action: string) => logged.filter((entry) => entry.action === action)
  const [enrolled, ...twice] = of('authenticator.enrolled')
  const revocations = of('authenticator.revoked')
  // Whatever order they are told in: a key ends with the first of the log.
  const [revoked] = revocations.toSorted(
    (one, other) => numberOf(one.position) - numberOf(other.position),
  )
  const isEnrolled =
    enrolled !== undefined && twice.length === 0 && enrolled.at === key.from && isOf(enrolled, key)
  if (!isEnrolled || !isKey(objectAt(enrolled, 'detail')?.publicKey, key))
    report.failed('decision', 'The audit log does not tell that it was enrolled so.')
  const isRevoked =
    revoked !== undefined &&
    revoked.at === key.until &&
    revocations.every((each) => isOf(each, key))
  if (revoked === undefined ? key.until !== null : !isRevoked)
    report.failed('decision', 'The audit log does not tell that it was revoked so.')
}

function isOf(entry: Json, { kid, memberId }: Json): boolean {
  const detail = objectAt(entry, 'detail')
  return detail?.credentialId === kid && detail?.memberId === memberId
}

/** Members of a JWK that are the key. */
const ofKey = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const

function isKey(text: unknown, key: Json): boolean {
  try {
    const enrolled: unknown = JSON.parse(textOf(text))
    return isObject(enrolled) && isSameKey(enrolled, key)
  } catch {
    return false
  }
}

/** Whether two JWKs are one public key. */
export function isSameKey(one: Json, other: Json): boolean {
  return ofKey.every((member) => isSame(one[member] ?? null, other[member] ?? null))
}
