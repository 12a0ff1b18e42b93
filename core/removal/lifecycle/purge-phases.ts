import { decideLifecycle } from '../../applications/lifecycle.ts'
import { type Application, applications } from '../../applications/records.ts'
import type { ChangeSet, Versioned } from '../../base/ports/store.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { list, many } from '../../kernel/ledger/reads.ts'
import { unwrap } from '../../kernel/ledger/refusal.ts'
import { peek } from '../../kernel/query.ts'
import type { WorkUnit } from '../../kernel/work/handler.ts'
import { legacyEvent } from '../../policies/events.ts'
import { reviewCases } from '../../review/records.ts'
import { routings } from '../../webhooks/records.ts'
import { eventTime } from '../../webhooks/routing/event-time.ts'
import type { PurgeDeps } from './deps.ts'
import type { PurgeOwner } from './purge-part.ts'
import type { PurgePlan } from './purge-plan.ts'
import { type Purge, type PurgePhase, type PurgeProgress, purgePhases, purges } from './records.ts'
import { remainsPut } from './remains.ts'

/** Cases that one run cancels. */
const casesAtOnce = 20
/** Blobs that one run removes. */
const blobsAtOnce = 200

/** What one run of a phase does: its changes, and how far the purge has come then; null at its end. */
export interface PhaseStep {
  readonly set?: Omit<ChangeSet, 'tenant'>
  readonly progress: PurgeProgress | null
}

/** One run of a phase. It may run again, after a conflict or a crash, with what it did before half done. */
export type Phase = (
  unit: WorkUnit,
  application: Versioned<Application>,
  was: Versioned<Purge>,
) => Promise<PhaseStep>

/** The progress at the beginning of a phase. */
export function beginningOf(
  phase: PurgePhase,
  counts: PurgeProgress['counts'] = { sessions: 0, blobs: 0, salts: 0 },
): PurgeProgress {
  return { phase, part: 0, after: null, blobs: [], counts }
}

/** What each phase does. */
export function createPhases(
  deps: PurgeDeps,
  plan: PurgePlan,
): Readonly<Record<PurgePhase, Phase>> {
  return {
    verify: async (_, application, { row: { progress } }) => {
      const { lifecycleState, deletion } = application.row
      if (lifecycleState !== 'purging' || !deletion)
        throw new Error(`the application is ${lifecycleState}, expected purging`)
      return { progress: following(progress) }
    },
    cases: async (unit, _, { row }) => {
      const [found] = await unit.read([
        list(reviewCases, {
          by: 'ofApplicationByState',
          where: [
            ['tenantId', '=', row.tenantId],
            ['applicationId', '=', row.applicationId],
            ['state', '=', 'open'],
          ],
          take: casesAtOnce,
        }),
      ])
      const open = many(reviewCases, found)
      for (const { row: each } of open)
        await deps.cancelCase(each.reviewCaseId, 'application_lifecycle')
      return { progress: open.length > 0 ? row.progress : following(row.progress) }
    },
    blobs: async (_, __, { row }) => {
      const { progress } = row
      const { blobs, counts } = progress
      // Listed and counted in one commit, removed before the next, so that a crash between counts none twice.
      await deps.blobs.remove(blobs)
      const listed = await deps.blobs.list({
        prefix: blobsOf(row),
        after: null,
        take: blobsAtOnce,
      })
      if (listed.length === 0) return { progress: following(progress) }
      return {
        progress: {
          ...progress,
          blobs: listed.map(({ path }) => path),
          counts: { ...counts, blobs: counts.blobs + listed.length },
        },
      }
    },
    keys: removing(plan.keys),
    scrub: async (_, __, { row: { progress } }) => {
      await deps.scrub()
      return { progress: following(progress) }
    },
    data: removing(plan.data),
    configuration: removing(plan.configuration),
    finish: async (unit, application, was) => {
      const left = await leftOf(unit, deps, plan, was.row)
      if (left) return { progress: beginningOf(left, was.row.progress.counts) }
      await deps.scrub()
      return finish(unit, application, was)
    },
  }
}

function following({ phase, counts }: PurgeProgress): PurgeProgress {
  return beginningOf(purgePhases[purgePhases.indexOf(phase) + 1] ?? 'finish', counts)
}

function blobsOf({ tenantId, applicationId }: PurgeOwner): string {
  return `tenants/${tenantId}/applications/${applicationId}/`
}

/** One piece of one part after the other. */
function removing(parts: PurgePlan[keyof PurgePlan]): Phase {
  return async (unit, _, { row }) => {
    const { progress } = row
    const part = parts[progress.part]
    if (!part) return { progress: following(progress) }
    const { set, removed, after } = await part.remove(unit, row, progress.after)
    const { counts } = progress
    return {
      set,
      progress: {
        ...progress,
        part: after === null ? progress.part + 1 : progress.part,
        after,
        counts: {
          ...counts,
          sessions: counts.sessions + (part.name === 'sessions' ? removed : 0),
          salts: counts.salts + (part.name === 'subjectKeys' ? removed : 0),
        },
      },
    }
  }
}

/** The first phase that has something left to remove: rows and blobs that other work wrote during the purge. */
async function leftOf(
  unit: UnitOfWork,
  { blobs }: Pick<PurgeDeps, 'blobs'>,
  plan: PurgePlan,
  owner: PurgeOwner,
): Promise<PurgePhase | null> {
  if ((await blobs.list({ prefix: blobsOf(owner), after: null, take: 1 })).length > 0)
    return 'blobs'
  for (const phase of ['keys', 'data', 'configuration'] as const) {
    const reads = plan[phase].flatMap((part) => part.left(owner) ?? [])
    const found = await unit.read(reads)
    if (found.some(({ rows }) => rows.length > 0)) return phase
  }
  return null
}

/** The tombstone, the event and the audit entry, in one commit. */
async function finish(
  unit: WorkUnit,
  application: Versioned<Application>,
  was: Versioned<Purge>,
): Promise<PhaseStep> {
  const { tenantId, applicationId, progress, startedAt } = was.row
  const { routing } = await unit.ask({
    routing: peek(routings.get(tenantId), 'the event is what it orders'),
  })
  const at = eventTime(routing, unit.now)
  const tombstone = unwrap(decideLifecycle(application.row, { type: 'finish_purge' }, at))
  const { sessions, blobs, salts } = progress.counts
  const counts = { sessionsDeleted: sessions, blobsDeleted: blobs, saltsDestroyed: salts }
  unit.put(applications, tombstone, application)
  unit.remove(purges, was)
  unit.include({ puts: [remainsPut(was.row, unit.now)] })
  unit.emit(
    legacyEvent(
      { id: unit.id('evt'), at, tenantId, application: { applicationId, name: '' } },
      'application.purge_completed',
      {
        requestedAt: isoTime(application.row.deletion?.requestedAt ?? startedAt),
        purgedAt: isoTime(at),
        ...counts,
      },
    ),
  )
  unit.audit('application.purge_completed', applicationId, counts)
  return { progress: null }
}
