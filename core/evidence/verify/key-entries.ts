import { isObject } from '../../base/events/shape.ts'
import type { Finding, ReviewerKeys } from './finding.ts'
import { type Json, msOf } from './read.ts'
import { mostSkewMs } from './times.ts'

const ofKeys: ReadonlySet<unknown> = new Set(['authenticator.enrolled', 'authenticator.revoked'])

/** Compares what `authenticators.json` tells of the audit log with the log, both ways. */
export interface KeyEntries {
  /** Takes an entry of the log. */
  take(entry: unknown): void
  /** What only one of them tells, behind the log's last entry. */
  findings(): readonly Finding[]
}

/**
 * Compares the entries about reviewers' keys with those of the log. The keys are read after the log's last entry is, so
 * that they tell each of its entries; those of sign-ins are of no reviewer. `toldAt`: when the pack was made, ISO 8601.
 */
export function checkKeyEntries(reviewers: ReviewerKeys | null, toldAt: string): KeyEntries {
  const open = new Map(reviewers?.entries)
  const subjects = new Set(
    [...open.values()].flatMap(({ subject }) => (typeof subject === 'string' ? subject : [])),
  )
  const untold: unknown[] = []
  let last: Json = { position: 0 }

  /** Whether an entry is of a key that signs, or of one that the file tells: each is of one use alone. */
  function isOfReviewer({ action, subject, detail }: Json): boolean {
    if (!ofKeys.has(action)) return false
    const { use, credentialId }: Json = isObject(detail) ? detail : {}
    return (
      use !== 'sign_in' ||
      (typeof subject === 'string' && subjects.has(subject)) ||
      (typeof credentialId === 'string' && reviewers?.keys.has(credentialId) === true)
    )
  }

  function behind(position: number, { at, previousHash }: { at: number; previousHash: unknown }) {
    const isNext = position === Number(last.position) + 1
    // A key may be enrolled while the pack is made, whose log ends before.
    const isLater = at > msOf(toldAt) - mostSkewMs
    return isLater && (!isNext || typeof last.hash !== 'string' || previousHash === last.hash)
  }

  return {
    take(entry) {
      if (!isObject(entry) || typeof entry.position !== 'number') return
      last = entry
      const told = open.get(entry.position)
      if (told && told.hash === entry.hash) open.delete(entry.position)
      else if (reviewers && isOfReviewer(entry)) untold.push(entry.position)
    },
    findings: () => [
      ...untold.map((position) =>
        found('failed', `It does not tell entry ${position} of the audit log, of a key.`),
      ),
      ...[...open].map(([position, entry]) => {
        const tells = `It tells entry ${position} of the audit log, which`
        if (position <= Number(last.position))
          return found('failed', `${tells} the log tells otherwise.`)
        return behind(position, entry)
          ? found('noted', `${tells} ends before.`)
          : found('failed', `${tells} ends before, and it is none of after the pack.`)
      }),
    ],
  }
}

function found(result: Finding['result'], detail: string): Finding {
  return { result, check: 'decision', about: 'authenticators.json', detail }
}
