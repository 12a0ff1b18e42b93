import type { Versioned } from '../../base/ports/store.ts'
import { mapped, orNotFound, type Query, Refused } from '../../kernel/query.ts'
import { type KeyRequest, keyRequests } from './records.ts'

/** A request; `not_found` for an unknown id and for another tenant's. */
export function existing(requestId: string): Query<Versioned<KeyRequest>, 'not_found'> {
  return orNotFound(keyRequests.get(requestId), 'key request')
}

/** That no other request for the same is open. */
export function noneLike(
  like: Pick<KeyRequest, 'tenantId' | 'action' | 'target' | 'targetType'> & {
    readonly requestId?: string
  },
): Query<null, 'request_pending'> {
  const { tenantId, action, target, targetType, requestId } = like
  const same = { tenantId, action, target, targetType, open: 1 } as const
  return mapped(keyRequests.first('byTarget', same), (pending) => {
    if (!pending || pending.row.requestId === requestId) return null
    const { requestId: other, status } = pending.row
    return new Refused('request_pending', `the same is asked for by ${other}, which is ${status}`)
  })
}
