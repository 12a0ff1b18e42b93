import { type Application, applications } from '../../applications/records.ts'
import type { Key, Versioned } from '../../base/ports/store.ts'
import { sessions } from '../../content/records.ts'
import { caseSeals } from '../../content/seal-records.ts'
import { planOf } from '../../kernel/callers/plans.ts'
import { pageAfter } from '../../kernel/ledger/pages.ts'
import { get, list, one } from '../../kernel/ledger/reads.ts'
import type { Parts } from '../../kernel/ports.ts'
import { handler, type Next, type WorkHandler, type WorkUnit } from '../../kernel/work/handler.ts'
import { tenants } from '../../organizations/access/records.ts'
import { reviewCases } from '../../review/records.ts'
import type { ErasureDeps } from './deps.ts'
import { holdOn, holdReads } from './hold-board.ts'
import { removeSession } from './remove-session.ts'
import { markRemoved } from './removed-subjects.ts'
import { markRetiring, removeRetired } from './retire-keys.ts'
import type { SessionRows } from './session-rows.ts'
import { isUnderWay } from './under-way.ts'

type Unit = WorkUnit<'system'>

const day = 24 * 60 * 60 * 1_000
/** From the end of one look at all applications to the next. */
const everyMs = 60 * 60 * 1_000

/** How far a look has come; kept in the work item. */
interface Look {
  /** The application that is looked at; null before the first. */
  readonly application: Key | null
  readonly phase: 'sessions' | 'cases'
  /** Rows of the phase that stay. */
  readonly skip: number
  /** Blobs of removed bundle rows, still to be removed. */
  readonly blobs: readonly string[]
  /** Subjects of what was removed so far of a session. */
  readonly subjects: readonly string[]
  /** Those of a session that is gone, whose keys go with their last data; and whether the first one's is marked. */
  readonly retiring: readonly string[]
  readonly marked: boolean
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
  return handler<Look | null>({
    kind: 'sessionRetention',
    of: 'system',
    permanent: ['all'],
    async run(unit, { state }) {
      const look = state ?? beginning(unit.now, null)
      if (look.blobs.length > 0) {
        await deps.blobs.remove(look.blobs)
        return goOn(unit, look, { blobs: [] })
      }
      if (look.retiring.length > 0) return retireStep(unit, look)
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
  })
}

function beginning(now: number, before: number | null): Look {
  return {
    application: null,
    phase: 'sessions',
    skip: 0,
    blobs: [],
    subjects: [],
    retiring: [],
    marked: false,
    removed: false,
    began: now,
    before,
  }
}

/** Marks the key of the first subject, or removes it. */
async function retireStep(unit: Unit, look: Look): Promise<Next<Look>> {
  const [tenantId, applicationId] = look.application as readonly [string, string]
  const [dataSubjectId = '', ...rest] = look.retiring
  const scope = { tenantId, applicationId, dataSubjectId }
  if (!look.marked) return goOn(unit, look, { marked: true }, await markRetiring(unit, scope))
  const set = await removeRetired(unit, scope)
  return goOn(unit, look, { retiring: rest, marked: false }, set)
}

async function applicationAt(unit: Unit, key: Key): Promise<Versioned<Application> | null> {
  const [found] = await unit.read([get(applications, key)])
  return one(applications, found)
}

async function nextApplication(
  deps: Pick<ErasureDeps, 'scrub'>,
  unit: Unit,
  look: Look,
): Promise<Next<Look>> {
  const [next] = Number.isFinite(look.before ?? Number.NaN)
    ? await pageAfter(unit, applications, { where: [], after: look.application, take: 1 })
    : []
  if (next) {
    const { tenantId, applicationId } = next.row
    return goOn(unit, look, {
      application: [tenantId, applicationId],
      phase: 'sessions',
      skip: 0,
    })
  }
  // Keys may have been removed.
  if (look.removed) await deps.scrub()
  return { next: unit.now + everyMs, state: beginning(unit.now + everyMs, look.began) }
}

async function sessionStep(
  unit: Unit,
  rows: readonly SessionRows[],
  look: Look,
  { applicationId }: Application,
  until: number,
): Promise<Next<Look>> {
  const [completed] = await unit.read([
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
  const old = one(sessions, completed)
  if (!old) return goOn(unit, look, { phase: 'cases', skip: 0 })
  const piece = await removeSession(unit, rows, old)
  if (!piece) return goOn(unit, look, { skip: look.skip + 1 })
  const subjects = [...new Set([...look.subjects, ...piece.subjects])]
  const found = piece.done ? { subjects: [], retiring: subjects } : { subjects }
  return goOn(unit, look, { removed: true, blobs: piece.blobs, ...found }, piece.set)
}

/** A closed case whose session never came goes by the time when it was closed. */
async function caseStep(
  deps: Pick<ErasureDeps, 'scrub'>,
  unit: Unit,
  look: Look,
  { tenantId, applicationId }: Application,
  until: number,
): Promise<Next<Look>> {
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
  const { sessionId, closedAt, dataSubjectId } = old.row
  // It is still absent at the commit: with it, its retention would decide.
  const { session, seal } = await unit.ask({
    session: sessions.get(tenantId, applicationId, sessionId),
    seal: caseSeals.get(old.row.reviewCaseId),
  })
  const young = closedAt === null || closedAt >= until
  if (young || isUnderWay(old.row) || session) return goOn(unit, look, { skip: look.skip + 1 })
  if (dataSubjectId !== null) {
    const scope = { tenantId, applicationId, dataSubjectId }
    const { held, check } = holdOn(await unit.read(holdReads(scope)), scope)
    if (held) return goOn(unit, look, { skip: look.skip + 1 })
    unit.include({ checks: [check], puts: await markRemoved(unit, scope, [dataSubjectId]) })
  }
  unit.remove(reviewCases, old)
  if (seal) unit.remove(caseSeals, seal)
  return goOn(unit, look, { removed: true })
}

/** The next run follows, from a place that these changes name. */
function goOn(unit: Unit, look: Look, changes: Partial<Look>, parts: Parts = {}): Next<Look> {
  unit.include(parts)
  return { next: unit.now, state: { ...look, ...changes } }
}
