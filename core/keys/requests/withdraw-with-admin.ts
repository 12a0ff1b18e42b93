import { actorName } from '../../kernel/callers/actor.ts'
import { everyRow, list, many, put } from '../../kernel/ledger/reads.ts'
import type { EndsWithAdmin } from '../../organizations/access/deps.ts'
import { requestEntry } from './audit.ts'
import { moved, transitions } from './machine.ts'
import { keyRequests } from './records.ts'

/**
 * Withdraws the requests that staff could still execute of a member who is no longer an active admin. A concurrent
 * request conflicts: it writes the tenant's row of admins, as the change of the member does.
 */
export const keyRequestsEndWithAdmin: EndsWithAdmin = async (unit, by, memberId) => {
  const { tenantId } = by
  const requester = actorName({ ...by, memberId })
  const found = await unit.read(
    transitions.withdraw.from.map((status) =>
      list(keyRequests, {
        by: 'byTenant',
        where: [
          ['tenantId', '=', tenantId],
          ['status', '=', status],
        ],
        take: everyRow,
      }),
    ),
  )
  const asked = found
    .flatMap((each) => many(keyRequests, each))
    .filter(({ row }) => row.requestedBy === requester)
  const withdrawn = asked.map((was) => ({
    was,
    row: moved(was.row, { act: 'withdraw' }, unit.now),
  }))
  return {
    puts: withdrawn.map(({ was, row }) => put(keyRequests, row, was)),
    appends: withdrawn.map(({ row }) => requestEntry(row, actorName(by), unit.now)),
  }
}
