import { hasTexts, isSame } from './compare.ts'
import type { Report } from './finding.ts'
import { isRevision, type Json, numberOf, objectAt, objectsAt, textOf } from './read.ts'

/** Whether all ids are there by which what a document tells is compared with anything else. */
export function isNamed(document: Json, session: Json, report: Report): boolean {
  const application = objectAt(document, 'application') ?? {}
  return [
    hasTexts(document, ['tenantId'], report),
    hasTexts(application, ['applicationId'], report),
    hasTexts(session, ['applicationId', 'sessionId'], report),
    ...(objectsAt(document, 'steps') ?? []).map((step) => hasTexts(step, ['stepId'], report)),
  ].every(Boolean)
}

/** What a session's leaf is made of, by its origin. */
const sourceOf: ReadonlyMap<unknown, string> = new Map([
  ['otlp', 'record'],
  ['submission', 'submitted'],
])

/** Checks that seal and session speak of one revision, one place and the algorithms that are checked here. */
export function checkForm(session: Json, integrity: Json, report: Report): void {
  const { canonicalization, hashAlgorithm, revision, leafHash } = integrity
  if (canonicalization !== 'RFC8785' || hashAlgorithm !== 'rfc9162-sha256')
    report.failed(
      'form',
      'Expected canonicalization RFC8785 and the hash algorithm rfc9162-sha256.',
    )
  if (!isRevision(revision))
    report.failed('form', `Expected a revision from 1, got ${textOf(revision)}.`)
  if (revision !== session.revision)
    report.failed(
      'form',
      `It tells revision ${textOf(session.revision)} of the session and the seal of revision ${textOf(revision)}.`,
    )
  const earlier = (objectsAt(integrity, 'earlier') ?? []).map((seal) => numberOf(seal.revision))
  const isOlder = earlier.every((each) => each < numberOf(revision))
  if (!isOlder || new Set(earlier).size !== earlier.length)
    report.failed('form', 'Expected each earlier seal to be of another revision before this one.')
  const source = sourceOf.get(session.origin)
  if (source === undefined || (leafHash !== null && integrity.leafSource !== source))
    report.failed(
      'form',
      `Of origin ${textOf(session.origin)} the leaf can not be ${textOf(integrity.leafSource)}.`,
    )
  const sealed = objectAt(session, 'sealed')
  const merkle = objectAt(integrity, 'merkle')
  const isThere =
    isSame(sealed?.batchId, merkle?.batchId) && isSame(sealed?.leafIndex, merkle?.leafIndex)
  if (leafHash !== null && !isThere)
    report.failed('form', 'The session names another batch and leaf than its inclusion proof.')
}
