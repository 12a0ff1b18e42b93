import { type KnownEvidence, placeIn } from './known.ts'
import { type Json, msOf, nameOf, numberOf } from './read.ts'

/** How long a session is kept at least, ms; only then is its id free for another. */
const leastKeptMs = 7 * 86_400_000

/** The known leaf of a revision, and by when it had been sealed, ms; NaN where nothing tells it. */
function knownSealOf(session: string, revision: unknown, known: KnownEvidence) {
  const leafHash = known.leaves.get(session)?.get(numberOf(revision)) ?? null
  const sealedBy = known.sealedBy.get(placeIn.sessionLeaf(session, revision, leafHash))
  return { leafHash, sealedBy: sealedBy ?? Number.NaN }
}

/** Whether the known leaf of a revision is of a session that had been removed before this time, by its age. */
export function isOfAnother(
  session: string,
  revision: unknown,
  at: unknown,
  known: KnownEvidence,
): boolean {
  return msOf(at) >= knownSealOf(session, revision, known).sealedBy + leastKeptMs
}

/** The known leaf of a revision where it is of a later session than one that was sealed at this time, and removed; else null. */
export function laterLeafOf(
  session: string,
  revision: unknown,
  at: unknown,
  known: KnownEvidence,
): string | null {
  const { leafHash, sealedBy } = knownSealOf(session, revision, known)
  return sealedBy >= msOf(at) + leastKeptMs ? leafHash : null
}

/**
 * What is known from before without that of sessions which had the same id, and had been removed before this one began
 * (`startedAt`, ISO 8601); the same where there is none, and where the leaf of this one was known before it began.
 */
export function withoutRemoved(
  of: { readonly applicationId: unknown; readonly sessionId: unknown },
  { startedAt, revision, leafHash }: Json,
  known: KnownEvidence,
): KnownEvidence {
  const session = placeIn.session(of.applicationId, of.sessionId)
  const own = known.sealedBy.get(placeIn.sessionLeaf(session, revision, leafHash)) ?? Number.NaN
  const isKnown = typeof leafHash === 'string' && known.owners.has(leafHash)
  if (isKnown && !(msOf(startedAt) < own + leastKeptMs)) return known
  const seals = [...(known.leaves.get(session) ?? [])]
  const left = seals.filter(([revision]) => !isOfAnother(session, revision, startedAt, known))
  const endOf = (id: string) => known.ends.get(nameOf(of.applicationId, id)) ?? Number.NaN
  const ended = [...(known.cases.get(session) ?? [])]
  const cases = ended.filter(([id]) => !(msOf(startedAt) >= endOf(id) + leastKeptMs))
  if (left.length === seals.length && cases.length === ended.length) return known
  const none = new Map<string, never>()
  return {
    ...known,
    leaves: new Map([[session, new Map(left)]]),
    cases: new Map([[session, new Map(cases)]]),
    ...(left.length === 0 ? { sources: none, statuses: none } : {}),
  }
}
