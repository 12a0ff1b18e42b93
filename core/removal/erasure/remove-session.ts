import type { ChangeSet, Versioned } from '../../base/ports/store.ts'
import { bundlePath, bundles } from '../../content/payload-records.ts'
import {
  ofSession,
  type StoredSession,
  type StoredStep,
  sessions,
  steps,
} from '../../content/records.ts'
import { type SessionAlias, sessionAliases } from '../../content/trace-records.ts'
import { sessionSubject, submissionSubject } from '../../content/vault/pseudonym.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { list, many, put, removalsOf } from '../../kernel/ledger/reads.ts'
import { type ReviewCase, reviewCases } from '../../review/records.ts'
import { isRehoming } from './rehoming.ts'
import { markRemoved } from './removed-subjects.ts'
import { removedKeys } from './retire-keys.ts'
import { holdOnSession } from './session-holds.ts'
import { rowsToRemove, type SessionRows } from './session-rows.ts'
import { hasCaseUnderWay, isUnderWay } from './under-way.ts'

const rowPiece = 100

/** A piece of the removal of a session. */
export interface RemovalPiece {
  readonly set: Omit<ChangeSet, 'tenant'>
  /** Blobs of removed bundle rows, to be removed once the piece is committed. */
  readonly blobs: readonly string[]
  /** Subjects of what it removes, whose keys may go with the session. */
  readonly subjects: readonly string[]
  /** The session itself is removed: it was the last piece. */
  readonly done: boolean
}

const nothingMore = { blobs: [], subjects: [], done: false } as const

/**
 * The next piece of the removal of a session with all its rows; null for a session that stays. The first piece decides:
 * from its commit on the session is `removing`, no read by its id finds it and no hold keeps it (decision 94). One that
 * is moving to another session, or taking one in, stays until the move has ended.
 */
export async function removeSession(
  unit: UnitOfWork,
  rows: readonly SessionRows[],
  session: Versioned<StoredSession>,
): Promise<RemovalPiece | null> {
  if (!session.row.removing) return beginRemoval(unit, session)
  return (
    (await removeRows(unit, rows, session.row)) ??
    (await removeBundles(unit, session.row)) ??
    (await endRemoval(unit, session))
  )
}

async function beginRemoval(
  unit: UnitOfWork,
  session: Versioned<StoredSession>,
): Promise<RemovalPiece | null> {
  const { held, check } = await holdOnSession(unit, session.row, null)
  if (held || (await hasCaseUnderWay(unit, session.row))) return null
  // Removing one half of a moving session would destroy keys of the other. A move that begins after this read writes
  // the session's row, so that this commit conflicts.
  if (await isRehoming(unit, [session.row])) return null
  const puts = [put(sessions, { ...session.row, removing: true as const }, session)]
  return { ...nothingMore, set: { checks: [check], puts } }
}

async function removeRows(
  unit: UnitOfWork,
  rows: readonly SessionRows[],
  session: StoredSession,
): Promise<RemovalPiece | null> {
  for (const each of rows) {
    const { collection } = each
    // A case opened since then stays, like a case whose session never arrived.
    const isKept = (row: object) =>
      collection.name === reviewCases.name && isUnderWay(row as unknown as ReviewCase)
    const found = await rowsToRemove(unit, each, session, rowPiece, isKept)
    if (found.length === 0) continue
    const aliases =
      collection.name === sessionAliases.name
        ? found.map(({ row }) => sessionSubject((row as unknown as SessionAlias).alias).subjectId)
        : []
    const subjects =
      collection.name === steps.name
        ? found.flatMap(({ row }) => (row as unknown as StoredStep).subject ?? [])
        : []
    const named =
      collection.name === reviewCases.name
        ? found.flatMap(({ row }) => (row as unknown as ReviewCase).dataSubjectId ?? [])
        : []
    const keys = await removedKeys(unit, session, aliases)
    return {
      ...nothingMore,
      set: {
        puts: await markRemoved(unit, session, [...subjects, ...named]),
        removes: [...removalsOf(collection, found), ...keys],
      },
      subjects,
    }
  }
  return null
}

async function removeBundles(
  unit: UnitOfWork,
  session: StoredSession,
): Promise<RemovalPiece | null> {
  const [found] = await unit.read([
    list(bundles, { by: 'bySession', where: ofSession(session), take: rowPiece }),
  ])
  const stored = many(bundles, found)
  if (stored.length === 0) return null
  return {
    ...nothingMore,
    set: { removes: removalsOf(bundles, stored) },
    blobs: stored.map(({ row }) => bundlePath(row)),
  }
}

async function endRemoval(
  unit: UnitOfWork,
  session: Versioned<StoredSession>,
): Promise<RemovalPiece> {
  const { row } = session
  const own = [sessionSubject(row.sessionId), submissionSubject(row.sessionId)]
  const keys = await removedKeys(
    unit,
    row,
    own.map(({ subjectId }) => subjectId),
  )
  const subjects = row.dataSubjectId === null ? [] : [row.dataSubjectId]
  return {
    set: {
      puts: await markRemoved(unit, row, subjects),
      removes: [...removalsOf(sessions, [session]), ...keys],
    },
    blobs: [],
    subjects,
    done: true,
  }
}
