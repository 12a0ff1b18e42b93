import { planOf } from '../access/plans.ts'
import { tenants } from '../access/records.ts'
import { type Application, applications } from '../applications/records.ts'
import type { UnitOfWork } from '../ledger/ledger.ts'
import { get, list, many, one } from '../ledger/reads.ts'
import type { Check, Key, Read, Versioned } from '../ports/store.ts'
import { reviewCases } from '../review/records.ts'
import { pageAfter } from '../sealing/pages.ts'
import { bundlePath, bundles, type StoredSession, sessions, steps } from '../sessions/records.ts'
import type { WorkHandler, WorkStep } from '../work/handler.ts'
import type { ErasureDeps } from './deps.ts'
import { holdBoards, legalHolds } from './records.ts'
import { removeRetired, unusedKeys } from './retire-keys.ts'
import { removeRows, type SessionRows } from './session-rows.ts'
import { hasCaseUnderWay, isUnderWay } from './waiting.ts'

const day = 24 * 60 * 60 * 1_000
/** From the end of one look at all applications to the next. */
const everyMs = 60 * 60 * 1_000
const rowPiece = 100

/** Where a look stands; kept in the work item. */
interface Look {
  /** The application that is looked at; null before the first. */
  readonly application: Key | null
  readonly phase: 'sessions' | 'cases'
  /** Rows of the phase that stay. */
  readonly skip: number
  /** Blobs of removed bundle rows, still to be removed. */
  readonly blobs: readonly string[]
  /** The key of a subject whose last session was removed; null once it is gone, or in use again. */
  readonly retiring: Key | null
  /** Something was removed. */
  readonly removed: boolean
  /** When this look and the one before began. */
  readonly began: number
  readonly before: number | null
}

/**
 * Removes sessions, with all that hangs on them, once the plan's retention since their completion has passed, and closed
 * cases of sessions that never came. What is under way stays: sessions of held subjects, or with a case that is open or
 * whose outcome is still being sent, and such cases. Merkle roots and anchors stay.
 */
export function createSessionRetention(
  deps: Pick<ErasureDeps, 'blobs' | 'scrub'>,
  rows: readonly SessionRows[],
): WorkHandler {
  return {
    kind: 'sessionRetention',
    standing: ['all'],
    async run(item, unit) {
      const look = (item.state as Look | null) ?? beginning(unit.now, null)
      if (look.blobs.length > 0) {
        await deps.blobs.remove(look.blobs)
        return { next: unit.now, state: { ...look, blobs: [] } satisfies Look }
      }
      if (look.retiring)
        return {
          set: await removeRetired(unit, look.retiring),
          next: unit.now,
          state: { ...look, retiring: null } satisfies Look,
        }
      // By the clock of the look before as well: one that runs ahead for less than a look removes nothing.
      const seen = Math.min(unit.now, look.before ?? Number.NEGATIVE_INFINITY)
      const application = look.application && (await applicationAt(unit, look.application))
      if (!application || !Number.isFinite(seen)) return nextApplication(deps, unit, look)
      const [found] = await unit.read([get(tenants, [application.row.tenantId])])
      const { retentionDays } = planOf(one(tenants, found)?.row)
      const until = seen - retentionDays * day
      return look.phase === 'sessions'
        ? sessionStep(unit, rows, look, application.row, until)
        : caseStep(deps, unit, look, application.row, until)
    },
  }
}

function beginning(now: number, before: number | null): Look {
  return {
    application: null,
    phase: 'sessions',
    skip: 0,
    blobs: [],
    retiring: null,
    removed: false,
    began: now,
    before,
  }
}

async function applicationAt(unit: UnitOfWork, key: Key): Promise<Versioned<Application> | null> {
  const [found] = await unit.read([get(applications, key)])
  return one(applications, found)
}

async function nextApplication(
  deps: Pick<ErasureDeps, 'scrub'>,
  unit: UnitOfWork,
  look: Look,
): Promise<WorkStep> {
  const [next] = Number.isFinite(look.before ?? Number.NaN)
    ? await pageAfter(unit, applications, { where: [], after: look.application, take: 1 })
    : []
  if (next) {
    const { tenantId, applicationId } = next.row
    const state: Look = {
      ...look,
      application: [tenantId, applicationId],
      phase: 'sessions',
      skip: 0,
    }
    return { next: unit.now, state }
  }
  // Keys may have been removed.
  if (look.removed) await deps.scrub()
  return { next: unit.now + everyMs, state: beginning(unit.now + everyMs, look.began) }
}

async function sessionStep(
  unit: UnitOfWork,
  rows: readonly SessionRows[],
  look: Look,
  { applicationId }: Application,
  until: number,
): Promise<WorkStep> {
  const [found] = await unit.read([
    list(sessions, {
      by: 'byCompletion',
      where: [
        ['applicationId', '=', applicationId],
        ['completedAt', '>=', 0],
        ['completedAt', '<', until],
      ],
      skip: look.skip,
      take: 1,
    }),
  ])
  const old = one(sessions, found)
  if (!old) return { next: unit.now, state: { ...look, phase: 'cases', skip: 0 } satisfies Look }
  const { held, checks } = await holdsOf(unit, old.row)
  if (held || (await hasCaseUnderWay(unit, old.row)))
    return { next: unit.now, state: { ...look, skip: look.skip + 1 } satisfies Look }
  for (const each of rows) {
    const removes = await removeRows(unit, each, old.row, rowPiece)
    if (removes.length > 0)
      return {
        set: { checks, removes },
        next: unit.now,
        state: { ...look, removed: true } satisfies Look,
      }
  }
  const [stored] = await unit.read([bundlesOf(old.row)])
  const blobs = many(bundles, stored)
  if (blobs.length > 0)
    return {
      set: {
        checks,
        removes: blobs.map(({ row, version }) => ({
          in: bundles.name,
          key: [row.tenantId, row.applicationId, row.bundleId],
          version,
        })),
      },
      next: unit.now,
      state: {
        ...look,
        removed: true,
        blobs: blobs.map(({ row }) => bundlePath(row)),
      } satisfies Look,
    }
  const { tenantId, sessionId } = old.row
  const keys = await unusedKeys(unit, old.row)
  const own = { in: sessions.name, key: [tenantId, applicationId, sessionId] } as const
  return {
    set: {
      checks,
      puts: keys.puts,
      removes: [{ ...own, version: old.version }, ...keys.removes],
    },
    next: unit.now,
    state: { ...look, removed: true, retiring: keys.retiring } satisfies Look,
  }
}

/** Active holds of a tenant that are looked at at once. */
const holdPiece = 500

/** Whether a hold covers the session's subject or that of one of its steps, and the check that relies on it. */
async function holdsOf(
  unit: UnitOfWork,
  session: StoredSession,
): Promise<{ readonly held: boolean; readonly checks: readonly Check[] }> {
  const { tenantId, applicationId } = session
  // Before the holds: one that comes while they are read changes the board.
  const [board] = await unit.read([get(holdBoards, [tenantId])])
  const version = one(holdBoards, board)?.version ?? 0
  const checks = [{ in: holdBoards.name, key: [tenantId], version } as const]
  for (let skip = 0; ; skip += holdPiece) {
    const [active] = await unit.read([
      list(legalHolds, {
        by: 'byActive',
        where: [
          ['tenantId', '=', tenantId],
          ['active', '=', 1],
        ],
        skip,
        take: holdPiece,
      }),
    ])
    const holds = many(legalHolds, active)
    const subjects = holds
      .filter(({ row }) => row.applicationId === null || row.applicationId === applicationId)
      .map(({ row }) => row.dataSubjectId)
    if (await hasSubject(unit, session, subjects)) return { held: true, checks }
    if (holds.length < holdPiece) return { held: false, checks }
  }
}

/** Whether the session, or one of its steps, is of one of these subjects. */
async function hasSubject(
  unit: UnitOfWork,
  { tenantId, applicationId, sessionId, dataSubjectId }: StoredSession,
  subjects: readonly string[],
): Promise<boolean> {
  if (subjects.some((subject) => subject === dataSubjectId)) return true
  const found = await unit.read(
    subjects.map((subject) =>
      list(steps, {
        by: 'bySubject',
        where: [
          ['tenantId', '=', tenantId],
          ['subject', '=', subject],
          ['applicationId', '=', applicationId],
          ['sessionId', '=', sessionId],
        ],
        take: 1,
      }),
    ),
  )
  return found.some(({ rows }) => rows.length > 0)
}

function bundlesOf({ tenantId, applicationId, sessionId }: StoredSession): Read {
  return list(bundles, {
    by: 'bySession',
    where: [
      ['tenantId', '=', tenantId],
      ['applicationId', '=', applicationId],
      ['sessionId', '=', sessionId],
    ],
    take: rowPiece,
  })
}

/** A closed case whose session never came goes by the time when it was closed. */
async function caseStep(
  deps: Pick<ErasureDeps, 'scrub'>,
  unit: UnitOfWork,
  look: Look,
  { tenantId, applicationId }: Application,
  until: number,
): Promise<WorkStep> {
  // Ids sort by time: in their order the cases come by age.
  const [found] = await unit.read([
    list(reviewCases, {
      by: 'byApplication',
      where: [['applicationId', '=', applicationId]],
      skip: look.skip,
      take: 1,
    }),
  ])
  const old = one(reviewCases, found)
  if (!old || old.row.createdAt >= until) return nextApplication(deps, unit, look)
  const { reviewCaseId, sessionId, closedAt } = old.row
  const [session] = await unit.read([get(sessions, [tenantId, applicationId, sessionId])])
  const young = closedAt === null || closedAt >= until
  if (young || isUnderWay(old.row) || one(sessions, session))
    return { next: unit.now, state: { ...look, skip: look.skip + 1 } satisfies Look }
  return {
    set: {
      // The session is still absent: with it, its retention would decide.
      checks: [{ in: sessions.name, key: [tenantId, applicationId, sessionId], version: 0 }],
      removes: [{ in: reviewCases.name, key: [reviewCaseId], version: old.version }],
    },
    next: unit.now,
    state: { ...look, removed: true } satisfies Look,
  }
}
