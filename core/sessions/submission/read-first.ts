import { type StoredSession, sessions } from '../../content/records.ts'
import { batches, type Seal, seals } from '../../content/seal-records.ts'
import { sessionAliases } from '../../content/trace-records.ts'
import type { CustomerKeyActor } from '../../kernel/callers/actor.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { askedOf, foundBy, queryOf, rowUnder } from '../../kernel/query.ts'
import { quotaCounter } from '../../organizations/quota.ts'
import { judgementItemOf } from '../../policies/judgement/item.ts'
import { governanceRead } from '../../policies/scores/quality.ts'
import { signalReads } from '../../policies/signals.ts'
import { routings } from '../../webhooks/records.ts'
import { keyStanding } from '../standing.ts'
import { anchorKind, workItem } from '../work-kinds.ts'

/** The rows under a session's id. */
export interface Known {
  readonly session: StoredSession | null
  /** A dissolved session led on from there. */
  readonly alias: boolean
  /** Of its first revision. */
  readonly seal: Seal | null
}

/** What a unit of work reads before it decides on a batch. */
export type First = Awaited<ReturnType<typeof readFirst>>

/** Reads it in one round trip. */
export function readFirst(
  unit: UnitOfWork,
  actor: CustomerKeyActor,
  batchId: string,
  sessionIds: readonly string[],
) {
  const { tenantId, applicationId } = actor
  const rows = sessionIds.flatMap((sessionId) => [
    get(sessions, [tenantId, applicationId, sessionId]),
    get(sessionAliases, [tenantId, applicationId, sessionId]),
    get(seals, [tenantId, applicationId, sessionId, 1]),
  ])
  return askedOf(unit, {
    standing: keyStanding(actor),
    signals: queryOf(signalReads(tenantId, applicationId), (found) => found),
    routing: rowUnder(routings, [tenantId]),
    batch: batches.get(tenantId, applicationId, batchId),
    anchoring: workItem(anchorKind, tenantId),
    // Sessions counted in this month.
    used: queryOf([{ counter: quotaCounter(tenantId, unit.now) }], ([used]) => used?.total ?? 0),
    governance: foundBy(governanceRead(applicationId)),
    judgement: foundBy(judgementItemOf(tenantId)),
    // In the order of the ids.
    known: queryOf(rows, (found) =>
      sessionIds.map(
        (_, at): Known => ({
          session: one(sessions, found[3 * at])?.row ?? null,
          alias: one(sessionAliases, found[3 * at + 1]) !== null,
          seal: one(seals, found[3 * at + 2])?.row ?? null,
        }),
      ),
    ),
  })
}
