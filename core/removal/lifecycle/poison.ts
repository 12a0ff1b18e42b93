import { purgeKind } from '../../applications/records.ts'
import { actorName } from '../../kernel/callers/actor.ts'
import { authorizeStaff } from '../../kernel/callers/authorize.ts'
import { audit } from '../../kernel/ledger/audit.ts'
import { checkName } from '../../kernel/ledger/check-text.ts'
import { refuseErrors } from '../../kernel/ledger/input-errors.ts'
import { isoTime, isoTimeOrNull } from '../../kernel/ledger/iso-time.ts'
import { answer, commit, type Ledger, refusal } from '../../kernel/ledger/ledger.ts'
import { longest, most } from '../../kernel/ledger/limits.ts'
import { checkListQuery, type ListSource } from '../../kernel/ledger/listing.ts'
import { readPart } from '../../kernel/ledger/read-part.ts'
import { get, list, one, put } from '../../kernel/ledger/reads.ts'
import { ok, refuse } from '../../kernel/ledger/refusal.ts'
import { schedule, workItems } from '../../kernel/work/records.ts'
import { executeAsStaff } from '../../organizations/access/execute-as.ts'
import { type Purge, purges, stepOfPhase } from './records.ts'
import type { DeletionUseCases } from './use-cases.ts'
import type { PoisonView } from './view.ts'

const right = 'managePurges'

interface Deps {
  readonly ledger: Ledger
}

export function listPoisoned({ ledger }: Deps): DeletionUseCases['listPoisoned'] {
  return async (actor, query) => {
    const allowed = authorizeStaff(actor, right)
    if (!allowed.ok) return allowed
    const asked = checkListQuery(query)
    if (!asked.ok) return asked
    const source: ListSource<Purge, PoisonView> = {
      collection: purges,
      by: 'byState',
      where: [['state', '=', 'poisoned']],
      newest: false,
      cursor: 'messageId',
      piece: most.pageSize + 1,
      tell: (rows) => rows.map(({ row }) => poisonView(row)),
    }
    return ok(await readPart(source, query, (reads) => ledger.read(null, reads)))
  }
}

/** Moves a purge that failed out of the operators' queue: to be tried at once, or by the next sweep. */
export function settlePoison(
  { ledger }: Deps,
  to: 'queued' | 'resolved',
): DeletionUseCases['requeue'] {
  return async (actor, messageId, { note }) => {
    const malformed = refuseErrors(checkName(note, '/note', longest.staffReason))
    const command = { actor, right, tenantId: null } as const
    return executeAsStaff<PoisonView>(ledger, command, async (unit, staff) => {
      if (malformed) return refusal(malformed)
      const [found] = await unit.read([
        list(purges, { by: 'byMessage', where: [['messageId', '=', messageId]], take: 1 }),
      ])
      const was = one(purges, found)
      if (!was) return refusal(refuse('not_found', 'no such message'))
      if (was.row.state === to) return answer(poisonView(was.row))
      if (was.row.state === 'queued')
        return refusal(
          refuse('invalid_transition', 'the purge is at work, expected one that was given up'),
        )
      const { tenantId, applicationId } = was.row
      const [item] = await unit.read([get(workItems, [purgeKind, applicationId])])
      const row: Purge = { ...was.row, state: to, attempts: 0 }
      const carried = { kind: purgeKind, ref: applicationId, tenantId, applicationId: null }
      return commit(
        {
          puts: [
            put(purges, row, was),
            ...(to === 'queued'
              ? [schedule({ ...carried, due: unit.now }, one(workItems, item))]
              : []),
          ],
          appends: [
            audit(tenantId, {
              at: isoTime(unit.now),
              actor: actorName(staff),
              action: to === 'queued' ? 'purge.requeued' : 'purge.resolved',
              subject: applicationId,
              detail: { messageId, step: stepOfPhase[row.progress.phase] },
            }),
          ],
        },
        poisonView(row),
      )
    })
  }
}

function poisonView(purge: Purge): PoisonView {
  const { messageId, tenantId, applicationId, attempts, lastError, firstFailedAt, state } = purge
  return {
    messageId,
    tenantId,
    applicationId,
    step: stepOfPhase[purge.progress.phase],
    attempts,
    lastError,
    firstFailedAt: isoTimeOrNull(firstFailedAt),
    state,
  }
}
