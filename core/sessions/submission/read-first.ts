import type { Found, Versioned } from '../../base/ports/store.ts'
import { type StoredSession, sessions } from '../../content/records.ts'
import { type Batch, batches, type Seal, seals } from '../../content/seal-records.ts'
import { sessionAliases } from '../../content/trace-records.ts'
import type { CustomerKeyActor } from '../../kernel/callers/actor.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, inTurn, one } from '../../kernel/ledger/reads.ts'
import { type WorkItem, workItems } from '../../kernel/work/records.ts'
import { quotaCounter } from '../../organizations/quota.ts'
import { judgementItemOf } from '../../policies/judgement/item.ts'
import { governanceRead } from '../../policies/scores/quality.ts'
import { signalReadCount, signalReads } from '../../policies/signals.ts'
import { routingOf } from '../../webhooks/routing/fan-out.ts'
import { keyStandingReadCount, keyStandingReads } from '../standing.ts'
import { anchorKind, workItemOf } from '../work-kinds.ts'

/** What is stored under a session's id. */
export interface Known {
  readonly session: StoredSession | null
  /** A dissolved session led on from there. */
  readonly alias: boolean
  /** Of its first revision. */
  readonly seal: Seal | null
}

/** What a unit of work reads before it decides on a batch. */
export interface First {
  readonly standing: readonly Found[]
  readonly application: Found | undefined
  readonly signals: readonly Found[]
  readonly routed: Found | undefined
  readonly batch: Batch | null
  readonly anchoring: Versioned<WorkItem> | null
  /** Sessions counted in this month. */
  readonly used: number
  readonly governance: Found | undefined
  readonly judgement: Found | undefined
  /** By session, in the order of their ids. */
  readonly known: readonly Known[]
}

/** Reads it in one round trip. */
export async function readFirst(
  unit: UnitOfWork,
  actor: CustomerKeyActor,
  batchId: string,
  sessionIds: readonly string[],
): Promise<First> {
  const { tenantId, applicationId } = actor
  const found = await unit.read([
    ...keyStandingReads(actor),
    ...signalReads(tenantId, applicationId),
    routingOf(tenantId),
    get(batches, [tenantId, applicationId, batchId]),
    workItemOf(anchorKind, tenantId),
    { counter: quotaCounter(tenantId, unit.now) },
    governanceRead(applicationId),
    judgementItemOf(tenantId),
    ...sessionIds.flatMap((sessionId) => [
      get(sessions, [tenantId, applicationId, sessionId]),
      get(sessionAliases, [tenantId, applicationId, sessionId]),
      get(seals, [tenantId, applicationId, sessionId, 1]),
    ]),
  ])
  const take = inTurn(found)
  const standing = take(keyStandingReadCount)
  const signals = take(signalReadCount)
  const [routed, batch, anchoring, used, governance, judgement] = take(6)
  const known = sessionIds.map((): Known => {
    const [session, alias, seal] = take(3)
    return {
      session: one(sessions, session)?.row ?? null,
      alias: one(sessionAliases, alias) !== null,
      seal: one(seals, seal)?.row ?? null,
    }
  })
  return {
    standing,
    application: standing[1],
    signals,
    routed,
    batch: one(batches, batch)?.row ?? null,
    anchoring: one(workItems, anchoring),
    used: used?.total ?? 0,
    governance,
    judgement,
    known,
  }
}
