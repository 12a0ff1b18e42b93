import { decideLifecycle } from '../../applications/lifecycle.ts'
import { applicationOf } from '../../applications/load.ts'
import { type Application, applications, purgeKind } from '../../applications/records.ts'
import type { Versioned } from '../../base/ports/store.ts'
import { auditBySystem } from '../../kernel/ledger/audit.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { purgeTries } from '../../kernel/ledger/limits.ts'
import { get, one, put } from '../../kernel/ledger/reads.ts'
import { unwrap } from '../../kernel/ledger/refusal.ts'
import type { WorkHandler, WorkStep } from '../../kernel/work/handler.ts'
import type { WorkItem } from '../../kernel/work/records.ts'
import { retryDelay } from '../../kernel/work/runner.ts'
import type { PurgeDeps } from './deps.ts'
import { holdsOfApplications } from './holds.ts'
import { beginningOf, createPhases, type Phase } from './purge-phases.ts'
import type { PurgePlan } from './purge-plan.ts'
import { type Purge, type PurgePhase, purges, stepOfPhase } from './records.ts'

/** From one look at a purge that a hold keeps from beginning to the next. */
const holdCheckMs = 60 * 60 * 1_000
/** UTF-16 units of an error that are kept. */
const errorLength = 500

/**
 * Carries a deletion from the end of its grace period to the tombstone, in bounded commits that each move the purge's
 * own record: the next run continues where the last one ended, in any process.
 */
export function createPurge(deps: PurgeDeps, plan: PurgePlan): WorkHandler {
  const phases = createPhases(deps, plan)
  return {
    kind: purgeKind,
    async run(item, unit) {
      const { tenantId, ref: applicationId } = item
      if (tenantId === null) return { next: null }
      const [applied, found] = await unit.read([
        applicationOf(tenantId, applicationId),
        get(purges, [tenantId, applicationId]),
      ])
      const application = one(applications, applied)
      if (!application) return { next: null }
      const was = one(purges, found)
      if (!was) return begin(deps, unit, application)
      if (was.row.state !== 'queued') return { next: null }
      return runPhase(deps, phases, unit, item, application, was)
    },
  }
}

/** The commit after which nothing stops the purge: it looks for holds, and no hold is placed beside it. */
async function begin(
  { observer }: PurgeDeps,
  unit: UnitOfWork,
  application: Versioned<Application>,
): Promise<WorkStep> {
  const { tenantId, applicationId, lifecycleState, deletion = null } = application.row
  if (lifecycleState !== 'pending_deletion' || !deletion) return { next: null }
  if (unit.now < deletion.purgeAt) return { next: deletion.purgeAt }
  const holds = await holdsOfApplications(unit, tenantId, [applicationId])
  const held = holds.held.has(applicationId)
  const after = unwrap(decideLifecycle(application.row, { type: 'begin_purge', held }, unit.now))
  if (held) {
    observer.event('purge.blocked_by_hold', { tenantId, applicationId })
    const puts = after === application.row ? [] : [put(applications, after, application)]
    return { set: { puts, checks: [holds.check] }, next: unit.now + holdCheckMs }
  }
  const purge: Purge = {
    tenantId,
    applicationId,
    messageId: unit.id('prg'),
    state: 'queued',
    progress: beginningOf('verify'),
    attempts: 0,
    firstFailedAt: null,
    lastError: null,
    startedAt: unit.now,
  }
  return {
    set: {
      puts: [put(applications, after, application), put(purges, purge, null), holds.put],
      appends: [
        auditBySystem(tenantId, unit.now, {
          action: 'application.purge_started',
          subject: applicationId,
          detail: { requestedAt: isoTime(deletion.requestedAt) },
        }),
      ],
    },
    next: unit.now,
  }
}

async function runPhase(
  deps: PurgeDeps,
  phases: Readonly<Record<PurgePhase, Phase>>,
  unit: UnitOfWork,
  item: WorkItem,
  application: Versioned<Application>,
  was: Versioned<Purge>,
): Promise<WorkStep> {
  // A claim beyond the first since the last commit was lost: its process died, or could not write.
  const lost = item.claims - 1
  if (was.row.attempts + lost >= purgeTries)
    return failed(deps, unit, was, lost, was.row.lastError ?? 'the process ended halfway')
  try {
    const { set = {}, progress } = await phases[was.row.progress.phase](unit, application, was)
    if (progress === null) return { set, next: null }
    const row: Purge = { ...was.row, progress, attempts: 0, firstFailedAt: null, lastError: null }
    return { set: { ...set, puts: [...(set.puts ?? []), put(purges, row, was)] }, next: unit.now }
  } catch (error) {
    return failed(deps, unit, was, lost + 1, String(error))
  }
}

/** Counts failed tries; after the last the purge stays as it is, for the operators. */
function failed(
  { observer }: PurgeDeps,
  unit: UnitOfWork,
  was: Versioned<Purge>,
  tries: number,
  error: string,
): WorkStep {
  const attempts = was.row.attempts + tries
  const isPoisoned = attempts >= purgeTries
  const { tenantId, applicationId, messageId, progress, firstFailedAt } = was.row
  const step = stepOfPhase[progress.phase]
  observer.event(isPoisoned ? 'purge.poisoned' : 'purge.failed', {
    tenantId,
    applicationId,
    messageId,
    step,
    attempts,
    error,
  })
  const row: Purge = {
    ...was.row,
    state: isPoisoned ? 'poisoned' : 'queued',
    attempts,
    firstFailedAt: firstFailedAt ?? unit.now,
    lastError: error.slice(0, errorLength),
  }
  const next = isPoisoned ? null : unit.now + retryDelay(attempts)
  return { set: { puts: [put(purges, row, was)] }, next }
}
