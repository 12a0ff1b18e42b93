import type { ChangeSet, Put, Versioned } from '../../base/ports/store.ts'
import { type SessionKey, type StoredSession, sessions, steps } from '../../content/records.ts'
import { subjectKeys } from '../../content/vault/records.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { keyIn } from '../../kernel/ledger/pages.ts'
import { many, put } from '../../kernel/ledger/reads.ts'
import type { ErasureDeps } from './deps.ts'
import { destroyKeys, keysBeside } from './destroy-keys.ts'
import { endCases } from './end-cases.ts'
import type { Walk } from './progress.ts'
import type { ErasureRequest } from './records.ts'
import { heldSince } from './shared-content.ts'
import { keysOfSubject, sessionKey, sessionsOfSubject, stepsOfSubject } from './subjects.ts'
import type { SessionShare } from './their-steps.ts'
import { openCasesNaming } from './under-way.ts'

/** What the first commit takes of a person: few have more. */
const sessionPiece = 100
const stepPiece = 200

interface Shares {
  readonly shares: readonly SessionShare[]
  /** The sessions that are the subject's own. */
  readonly own: readonly Versioned<StoredSession>[]
  /** Where the walk goes on; null at its end. */
  readonly next: Walk | null
}

/** The shares of one piece of a walk over all sessions that have data of the subject. */
async function sharesAt(unit: UnitOfWork, request: ErasureRequest, walk: Walk): Promise<Shares> {
  if (walk.of === 'steps') return sharesOfSteps(unit, request, walk.after)
  const rows = await sessionsOfSubject(unit, request, walk.after, sessionPiece)
  const shares = rows.map(({ row }) => shareOf(request, row, true))
  const last = rows.at(-1)?.row
  if (last && rows.length === sessionPiece)
    return { shares, own: rows, next: { of: 'sessions', after: sessionKey(last) } }
  // Both in one piece, so that the first commit has all of a person of a few sessions.
  const others = await sharesOfSteps(unit, request, null)
  const own = new Set(shares.map(nameOf))
  return {
    shares: [...shares, ...others.shares.filter((share) => !own.has(nameOf(share)))],
    own: rows,
    next: others.next,
  }
}

async function sharesOfSteps(
  unit: UnitOfWork,
  request: ErasureRequest,
  after: Walk['after'],
): Promise<Shares> {
  const rows = await stepsOfSubject(unit, request, after, stepPiece)
  const shares = rows.map(({ row }) => shareOf(request, row, false))
  const last = rows.at(-1)?.row
  return {
    shares: [...new Map(shares.map((share) => [nameOf(share), share])).values()],
    own: [],
    next: last && rows.length === stepPiece ? { of: 'steps', after: keyIn(steps, last) } : null,
  }
}

function shareOf(
  { dataSubjectId }: ErasureRequest,
  { tenantId, applicationId, sessionId }: SessionKey,
  own: boolean,
): SessionShare {
  return { tenantId, applicationId, sessionId, dataSubjectId, own }
}

function nameOf({ applicationId, sessionId }: SessionShare): string {
  return JSON.stringify([applicationId, sessionId])
}

/** Keeps these sessions their subject's, until `erase-session.ts` has gone through them. */
function keptTheirs(own: readonly Versioned<StoredSession>[]): readonly Put[] {
  return own
    .filter(({ row }) => !row.erasing)
    .map((was) => put(sessions, { ...was.row, erasing: true }, was))
}

/** A piece of what makes the subject's data unreadable. */
export interface ShredPiece {
  readonly set: Required<Pick<ChangeSet, 'checks' | 'puts' | 'removes' | 'appends'>>
  /** Cases that it cancels. */
  readonly cases: number
  /** Where the walk goes on; null at its end. */
  readonly walk: Walk | null
}

/**
 * Destroys the keys of content that lies under another key than the subject's, and cancels open cases, of a bounded number
 * of sessions. The erasure's first commit has the first piece. Null where a hold on somebody else, placed since then,
 * keeps content of theirs in it.
 */
export async function shredPiece(
  deps: ErasureDeps,
  unit: UnitOfWork,
  request: ErasureRequest,
  walk: Walk,
): Promise<ShredPiece | null> {
  const { shares, own, next } = await sharesAt(unit, request, walk)
  // Before the first commit the subject's keys are those of content that goes with it, and holds were looked at.
  const isFirst = request.begunAt === null
  const since = isFirst ? null : await heldSince(unit, request, shares)
  if (since?.held) return null
  const [foundKeys] = isFirst ? [] : await unit.read([keysOfSubject(request)])
  const back = new Set(many(subjectKeys, foundKeys).map(({ row }) => row.applicationId))
  const destroyed = await destroyKeys(unit, await keysBeside(unit, shares, back))
  // With the last piece those of no session of theirs, too.
  const named = next === null ? await openCasesNaming(unit, request) : []
  const ended = await endCases(deps, unit, request.erasureRequestId, shares, named)
  return {
    set: {
      checks: [...(since ? [since.check] : []), ...(ended?.set.checks ?? [])],
      puts: [...keptTheirs(own), ...destroyed.puts, ...(ended?.set.puts ?? [])],
      removes: destroyed.removes,
      appends: ended?.set.appends ?? [],
    },
    cases: ended?.count ?? 0,
    // There may be more open cases in the same sessions.
    walk: ended ? walk : next,
  }
}
