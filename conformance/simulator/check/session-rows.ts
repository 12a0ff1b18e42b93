import {
  type StoredPayload,
  type StoredSession,
  type StoredStep,
  sessionAliases,
  sessions,
  steps,
} from '@countersign/core/internal'
import { canonicalText } from '../../canonical.ts'
import { type Committed, keyText, of, type Transition, type Truth } from '../truth.ts'
import type { World } from '../world.ts'
import { createErasureView } from './erasure.ts'
import { isPurging } from './purging.ts'

/** For every tenant here is on the Builder plan (interface, Limits). */
export const retentionMs = 7 * 24 * 3_600_000
const quietMs = { ended: 60_000, open: 1_800_000 } as const

/** What holds of every change of sessions and steps, whatever made it. */
export interface SessionChecks {
  /** Before the rows of `truth` move. */
  committing(truth: Truth, committed: Committed): void
  /** Steps and sessions that retention removed, by `keyText`. */
  readonly gone: ReadonlySet<string>
  /** Sessions that were ever made, without those that were dissolved. */
  readonly counted: number
}

type Owner = Pick<StoredSession, 'tenantId' | 'applicationId' | 'sessionId'>

export function sessionText({ tenantId, applicationId, sessionId }: Owner): string {
  return keyText([tenantId, applicationId, sessionId])
}

export function checkSessions(world: World): SessionChecks {
  const gone = new Set<string>()
  /** Steps of each session. */
  const held = new Map<string, Set<string>>()
  /** When each session completed, in ms of the run. */
  const completedAt = new Map<string, number>()
  const apart = world.plan.disturbances.reduce(
    (sum, one) => sum + (one.kind === 'jump' ? Math.abs(one.by) : 0),
    0,
  )
  let counted = 0

  function isAged(session: string): boolean {
    const since = completedAt.get(session)
    return since !== undefined && world.time.now() - since >= retentionMs - apart
  }

  function move(session: string, step: string, into: boolean): void {
    const all = held.get(session) ?? new Set()
    held.set(session, all)
    if (into) all.add(step)
    else all.delete(step)
  }

  function checkStep(truth: Truth, committed: Committed, change: Transition<StoredStep>): void {
    const { key, before, after } = change
    const lost = (detail: string) => world.broken('steps are kept', `${key}: ${detail}`)
    if (before) move(sessionText(before.row), key, false)
    if (after) move(sessionText(after.row), key, true)
    if (before && !after) {
      const session = sessionText(before.row)
      if (!isAged(session) && !isPurging(truth, before.row))
        world.broken('kept for its time', `step ${key} is gone`)
      gone.add(key)
    }
    if (!before || !after) return
    const [was, is] = [facts(before.row), facts(after.row)]
    if (was !== is) lost(`${was} became ${is}`)
    if (before.row.sessionId !== after.row.sessionId) {
      const { tenantId, applicationId, sessionId } = before.row
      const alias = truth.rows(sessionAliases).get(keyText([tenantId, applicationId, sessionId]))
      if (alias?.row.sessionId !== after.row.sessionId)
        lost(`moved from ${sessionId} to ${after.row.sessionId}, of which it is no alias`)
    }
    if (after.row.revision < before.row.revision) lost('its revision fell')
    checkPayloads(truth, committed, key, before.row, after.row)
  }

  function checkPayloads(
    truth: Truth,
    committed: Committed,
    key: string,
    before: StoredStep | StoredSession,
    after: StoredStep | StoredSession,
  ): void {
    const erasures = createErasureView(truth, committed)
    for (const [at, was] of before.payloads.entries()) {
      const is = after.payloads[at]
      if (is?.digest !== was.digest || is.field !== was.field)
        world.broken('steps are kept', `${key}: the digest of ${was.field} is gone`)
      else if (was.length === 0 && is.length > 0)
        world.broken('erased stays erased', `${key}: ${was.field} is back`)
      else if (is.length !== was.length && !erasures.mayBlank(before, was))
        world.broken('steps are kept', `${key}: ${was.field} is erased, and nobody asked for it`)
    }
  }

  function checkSession(
    truth: Truth,
    committed: Committed,
    { key, before, after }: Transition<StoredSession>,
  ): void {
    const wrong = (detail: string) => world.broken('one completion', `${key}: ${detail}`)
    if (!before && after) counted++
    if (before && !after) {
      // One that was sealed before its steps could move keeps them, under the id that is an alias besides.
      const dissolved = before.row.sealed === null && truth.rows(sessionAliases).has(key)
      if (dissolved) {
        counted--
        if ((held.get(key)?.size ?? 0) > 0)
          world.broken('steps are kept', `${key} is dissolved, and has steps`)
      } else {
        if (!isAged(key) && !isPurging(truth, before.row))
          world.broken('kept for its time', `session ${key} is gone`)
        gone.add(key)
      }
    }
    if (!after) return
    const { row } = after
    const [was, is] = [before?.row.completedAt ?? null, row.completedAt]
    if (was !== null && is !== was) wrong(`completed at ${was}, then at ${is}`)
    if (was === null && is !== null) {
      completedAt.set(key, world.time.now())
      const quiet = row.rootEnded ? quietMs.ended : quietMs.open
      if (row.origin === 'otlp' && is < row.lastReceivedAt + quiet)
        wrong(`completed ${is - row.lastReceivedAt} ms after its last span`)
    }
    if ((row.status === 'running') !== (is === null)) wrong(`${row.status}, completed at ${is}`)
    if (before && row.revision < before.row.revision) wrong('its revision fell')
    if (before) checkPayloads(truth, committed, key, before.row, row)
  }

  /** A session's sums are those of its steps, but while its steps move to another or go with it. */
  function checkTally(truth: Truth, committed: Committed): void {
    const changed = of(sessions, committed.transitions)
    for (const { key, after } of changed) {
      if (!after || truth.rows(sessionAliases).has(key)) continue
      const count = held.get(key)?.size ?? 0
      if (after.row.tally.steps !== count)
        world.broken('sums are of the steps', `${key}: ${after.row.tally.steps} of ${count} steps`)
    }
    for (const { key, before, after } of of(steps, committed.transitions)) {
      if (before || !after) continue
      if (!changed.some((one) => one.key === sessionText(after.row)))
        world.broken('sums are of the steps', `${key} joined ${after.row.sessionId} unseen`)
    }
  }

  return {
    gone,
    get counted() {
      return counted
    },
    committing(truth, committed) {
      for (const change of of(steps, committed.transitions)) checkStep(truth, committed, change)
      for (const change of of(sessions, committed.transitions))
        checkSession(truth, committed, change)
      checkTally(truth, committed)
    },
  }
}

/** What never changes of a step once it is stored. */
function facts(step: StoredStep): string {
  const { sessionId: _, revision: __, late: ___, payloads, payloadStatus: ____, ...kept } = step
  return canonicalText({ ...kept, payloads: payloads.map(({ digest }: StoredPayload) => digest) })
}
