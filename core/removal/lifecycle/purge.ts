import { decideLifecycle } from '../../applications/lifecycle.ts'
import { type Application, applications, purgeKind } from '../../applications/records.ts'
import type { Versioned } from '../../base/ports/store.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { purgeTries } from '../../kernel/ledger/limits.ts'
import { unwrap } from '../../kernel/ledger/refusal.ts'
import { handler, type WorkHandler, type WorkUnit } from '../../kernel/work/handler.ts'
import { retryDelay } from '../../kernel/work/runner.ts'
import type { PurgeDeps } from './deps.ts'
import { holdsOfApplications } from './holds.ts'
import { beginningOf, createPhases, type PhaseStep } from './purge-phases.ts'
import type { PurgePlan } from './purge-plan.ts'
import { type Purge, purges, stepOfPhase } from './records.ts'

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
  return handler({
    kind: purgeKind,
    async run(unit, { tenantId, ref: applicationId, claims }) {
      const { application, was } = await unit.ask({
        application: applications.get(tenantId, applicationId),
        was: purges.get(tenantId, applicationId),
      })
      if (!application) return null
      if (!was) return begin(deps, unit, application)
      if (was.row.state !== 'queued') return null
      // A claim beyond the first since the last commit was lost: its process died, or could not write.
      const lost = claims - 1
      if (was.row.attempts + lost >= purgeTries)
        return failed(deps, unit, was, lost, was.row.lastError ?? 'the process ended halfway')
      let step: PhaseStep
      try {
        step = await phases[was.row.progress.phase](unit, application, was)
      } catch (error) {
        return failed(deps, unit, was, lost + 1, String(error))
      }
      if (step.set) unit.include(step.set)
      if (step.progress === null) return null
      const went = { attempts: 0, firstFailedAt: null, lastError: null }
      unit.put(purges, { ...was.row, ...went, progress: step.progress }, was)
      return unit.now
    },
  })
}

/** The commit after which nothing stops the purge: it looks for holds, and no hold is placed beside it. */
async function begin(
  { observer }: PurgeDeps,
  unit: WorkUnit,
  application: Versioned<Application>,
): Promise<number | null> {
  const { tenantId, applicationId, lifecycleState, deletion = null } = application.row
  if (lifecycleState !== 'pending_deletion' || !deletion) return null
  if (unit.now < deletion.purgeAt) return deletion.purgeAt
  const holds = await holdsOfApplications(unit, tenantId, [applicationId])
  const held = holds.held.has(applicationId)
  const after = unwrap(decideLifecycle(application.row, { type: 'begin_purge', held }, unit.now))
  if (held) {
    observer.event('purge.blocked_by_hold', { tenantId, applicationId })
    if (after !== application.row) unit.put(applications, after, application)
    unit.include({ checks: [holds.check] })
    return unit.now + holdCheckMs
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
  unit.put(applications, after, application)
  unit.put(purges, purge)
  unit.include({ puts: [holds.put] })
  const requestedAt = isoTime(deletion.requestedAt)
  unit.audit('application.purge_started', applicationId, { requestedAt })
  return unit.now
}

/** Counts failed tries; after the last the purge stays as it is, for the operators. */
function failed(
  { observer }: PurgeDeps,
  unit: WorkUnit,
  was: Versioned<Purge>,
  tries: number,
  error: string,
): number | null {
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
  unit.put(purges, row, was)
  return isPoisoned ? null : unit.now + retryDelay(attempts)
}
