import {
  type Application,
  applications,
  type Delivery,
  deliveries,
  messages,
  purges,
  sessions,
  steps,
  subjectKeys,
} from '@countersign/core/internal'
import type { Deletions } from '../play/stage.ts'
import { type Committed, of, type Transition, type Truth } from '../truth.ts'
import type { World } from '../world.ts'
import { actionsOf, textOf } from './context.ts'
import { holdsOn } from './erasure.ts'
import { isPurging } from './purging.ts'

/** The life of applications: what may follow on what, and when (interface, Application lifecycle; Purge). */
export interface LifecycleChecks extends Deletions {
  /** Before the rows of `truth` move. */
  committing(truth: Truth, committed: Committed): void
}

interface Counts {
  sessions: number
  salts: number
}

export function checkLifecycle(world: World): LifecycleChecks {
  const asked = new Set<string>()
  const cancelled = new Set<string>()
  /** When the deletion under way was asked for, in ms of the run, and the application before it. */
  const pending = new Map<string, { readonly at: number; readonly was: Application }>()
  const counts = new Map<string, Counts>()
  const apart = world.plan.disturbances.reduce(
    (sum, one) => sum + (one.kind === 'jump' ? Math.abs(one.by) : 0),
    0,
  )

  /** From a decision to its commit. */
  const slackMs = world.plan.rates.stall > 0 ? 200_000 : 1_000

  function checkMove(
    truth: Truth,
    committed: Committed,
    { key, before, after }: Transition<Application>,
  ): void {
    const wrong = (detail: string) => world.broken('a deletion waits', `${key}: ${detail}`)
    if (!after) {
      world.broken('a purge is whole', `${key} is gone without a tombstone`)
      return
    }
    if (!before) return
    const [was, is] = [before.row.lifecycleState, after.row.lifecycleState]
    if (was === is) return
    const { applicationId } = after.row
    const recorded = actionsOf(committed)
    const record = (action: string) => {
      if (!recorded.includes(action))
        world.broken('acts are audited', `${key} became ${is} without ${action}`)
    }
    switch (`${was} ${is}`) {
      case 'active pending_deletion':
        record('application.deletion_requested')
        asked.add(applicationId)
        pending.set(key, { at: world.time.now(), was: before.row })
        if (isHeld(truth, after.row)) wrong('is to be deleted, and under hold')
        return
      case 'pending_deletion active': {
        record('application.deletion_cancelled')
        cancelled.add(applicationId)
        const kept = pending.get(key)?.was
        if (kept && shape(kept) !== shape(after.row)) wrong('is not what it was before')
        return
      }
      case 'pending_deletion purging': {
        record('application.purge_started')
        const waited = world.time.now() - (pending.get(key)?.at ?? 0)
        if (waited < world.plan.graceMs - apart - slackMs) wrong(`is purged after ${waited} ms`)
        if (isHeld(truth, after.row)) wrong('is purged, and under hold')
        return
      }
      case 'purging purged':
        record('application.purge_completed')
        checkCounts(committed, applicationId)
        return
      default:
        wrong(`${was} became ${is}`)
    }
  }

  /** What a purge removes, it counts once. */
  function checkCounts({ transitions }: Committed, applicationId: string): void {
    const { sessions: gone, salts } = counts.get(applicationId) ?? { sessions: 0, salts: 0 }
    for (const { after } of of(messages, transitions)) {
      if (after?.row.type !== 'application.purge_completed') continue
      const { data } = JSON.parse(textOf(after.row.body)) as {
        readonly data: { readonly sessionsDeleted: number; readonly saltsDestroyed: number }
      }
      if (data.sessionsDeleted !== gone || data.saltsDestroyed !== salts)
        world.broken(
          'a purge is whole',
          `${applicationId} tells ${data.sessionsDeleted} sessions and ${data.saltsDestroyed} salts, ${gone} and ${salts} went`,
        )
    }
  }

  function count(truth: Truth, { transitions }: Committed): void {
    // A commit of the purge moves its record; a session can also be dissolved meanwhile.
    if (of(purges, transitions).length === 0) return
    const add = (applicationId: string, name: keyof Counts) => {
      const sum = counts.get(applicationId) ?? { sessions: 0, salts: 0 }
      sum[name]++
      counts.set(applicationId, sum)
    }
    for (const { before, after } of of(sessions, transitions))
      if (before && !after && isPurging(truth, before.row))
        add(before.row.applicationId, 'sessions')
    for (const { before, after } of of(subjectKeys, transitions))
      if (before && !after && isPurging(truth, before.row)) add(before.row.applicationId, 'salts')
  }

  /** A purge takes deliveries that have ended, and messages that nothing waits for. */
  function checkOwed(truth: Truth, { transitions }: Committed): void {
    const changed = new Map(of(deliveries, transitions).map((one) => [one.key, one.after]))
    const isOwed = ([key, { row }]: readonly [string, { readonly row: Delivery }]) =>
      (changed.has(key) ? (changed.get(key)?.row.due ?? null) : row.due) !== null
    for (const { key, before, after } of of(deliveries, transitions))
      if (before && !after && isPurging(truth, before.row) && before.row.due !== null)
        world.broken('gone owes nothing', `${key} is gone with its application, and was owed`)
    for (const { key, before, after } of of(messages, transitions)) {
      if (!before || after || !isPurging(truth, before.row)) continue
      const waiting = [...truth.rows(deliveries)].filter(([, { row }]) => row.messageId === key)
      for (const [delivery] of waiting.filter(isOwed))
        world.broken('gone owes nothing', `${key} is gone, and owed as ${delivery}`)
    }
  }

  return {
    asked,
    cancelled,
    committing(truth, committed) {
      count(truth, committed)
      checkOwed(truth, committed)
      for (const change of of(applications, committed.transitions))
        checkMove(truth, committed, change)
    },
  }
}

/** Whether a hold names the application, or covers somebody of whom it has data. */
function isHeld(truth: Truth, { tenantId, applicationId }: Application): boolean {
  const place = { tenantId, applicationId }
  const subjects = new Set<string | null>()
  for (const { row } of [...truth.rows(sessions).values()])
    if (row.applicationId === applicationId) subjects.add(row.dataSubjectId)
  for (const { row } of [...truth.rows(steps).values()])
    if (row.applicationId === applicationId) subjects.add(row.subject)
  subjects.delete(null)
  return [...subjects].some((subject) => holdsOn(truth, place, subject).length > 0)
}

/** What a cancelled deletion gives back. */
function shape({ name, description, stage, outcomeCallback, settings }: Application): string {
  const { url, enabled, method } = outcomeCallback ?? { url: null, enabled: null, method: null }
  return JSON.stringify({ name, description, stage, url, enabled, method, settings })
}
