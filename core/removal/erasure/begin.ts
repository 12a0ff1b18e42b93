import type { ChangeSet, Versioned } from '../../base/ports/store.ts'
import { type ErasureMark, erasureMarks } from '../../content/erasure-marks.ts'
import { subjectKeys } from '../../content/vault/records.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, many, one, put, removalsOf } from '../../kernel/ledger/reads.ts'
import type { ErasureDeps } from './deps.ts'
import { destroyKeys } from './destroy-keys.ts'
import { boardPut } from './hold-board.ts'
import { counted, type Progress, wholeWalk } from './progress.ts'
import { type ErasureRequest, erasureRequests, type HoldBoard, removedSubjects } from './records.ts'
import { removedOf } from './removed-subjects.ts'
import { shredPiece } from './shred.ts'
import { applicationsNaming, keysOfSubject } from './subjects.ts'

/** The first commit of an erasure, and its progress after it. */
export interface Begun {
  readonly set: Omit<ChangeSet, 'tenant'>
  readonly state: Progress
}

/**
 * Begins an erasure, in one commit: it marks the subject, so that no reader shows anything of theirs any more, destroys
 * their keys and, as far as one commit takes them, those of their sessions, cancels their open cases and removes the
 * packages that may have their data. From then on the erasure can't be stopped, and a hold is refused.
 */
export async function begin(
  deps: ErasureDeps,
  unit: UnitOfWork,
  was: Versioned<ErasureRequest>,
  progress: Progress,
  known: {
    readonly board: Versioned<HoldBoard> | null
    /** Of sessions with data of the subject. */
    readonly applicationIds: readonly string[]
    readonly sessions: number
  },
): Promise<Begun> {
  const { tenantId, erasureRequestId, dataSubjectId, applicationId } = was.row
  const [found] = await unit.read([keysOfSubject(was.row)])
  const keys = many(subjectKeys, found).map(({ row }) => row)
  const removed = await removedOf(unit, was.row)
  const others = [...keys, ...removed.map(({ row }) => row)]
  const applicationIds = [
    ...new Set([
      ...known.applicationIds,
      ...others.map((each) => each.applicationId),
      ...(await applicationsNaming(unit, was.row)),
    ]),
  ].toSorted()
  const destroyed = await destroyKeys(unit, keys)
  const piece = await shredPiece(deps, unit, was.row, wholeWalk)
  if (!piece) throw new Error('expected an erasure without a hold to begin')
  const archives = await removedArchives(deps, unit, { tenantId, applicationIds })
  const request: ErasureRequest = {
    ...was.row,
    status: 'scheduled',
    waitingFor: null,
    begunAt: unit.now,
    applicationIds,
  }
  const mark: ErasureMark = {
    tenantId,
    erasureRequestId,
    dataSubjectId,
    applicationId,
    packagesOf: applicationIds,
  }
  return {
    set: {
      checks: [...piece.set.checks, ...(archives?.checks ?? [])],
      puts: [
        put(erasureRequests, request, was),
        put(erasureMarks, mark, null),
        boardPut(tenantId, known.board),
        ...destroyed.puts,
        ...piece.set.puts,
        ...(archives?.puts ?? []),
      ],
      removes: [
        ...destroyed.removes,
        ...piece.set.removes,
        ...(archives?.removes ?? []),
        ...removalsOf(removedSubjects, removed),
      ],
      appends: piece.set.appends,
    },
    state: {
      ...progress,
      walk: piece.walk,
      counts: counted(progress.counts, {
        applications: applicationIds.length,
        sessions: known.sessions,
        cases: piece.cases,
      }),
    },
  }
}

/** A bounded piece of the archives that may have data of these applications; null once none is left. */
export async function removedArchives(
  deps: Pick<ErasureDeps, 'applicationParts'>,
  unit: UnitOfWork,
  owner: { readonly tenantId: string; readonly applicationIds: readonly string[] },
): Promise<Pick<ChangeSet, 'checks' | 'puts' | 'removes'> | null> {
  for (const part of deps.applicationParts) {
    const change = await part.remove(unit, owner)
    if (change) return change.set
  }
  return null
}

/** The mark of an erasure with other members, or its removal for null; nothing where there is none. */
export async function markChange(
  unit: UnitOfWork,
  { tenantId, erasureRequestId }: ErasureRequest,
  change: Partial<ErasureMark> | null,
): Promise<Pick<ChangeSet, 'puts' | 'removes'>> {
  const [found] = await unit.read([get(erasureMarks, [tenantId, erasureRequestId])])
  const was = one(erasureMarks, found)
  if (!was) return {}
  return change
    ? { puts: [put(erasureMarks, { ...was.row, ...change }, was)] }
    : { removes: removalsOf(erasureMarks, [was]) }
}
