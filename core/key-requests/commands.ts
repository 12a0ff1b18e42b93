import { actorName } from '../access/actor.ts'
import { executeAs } from '../access/execute-as.ts'
import { customerKeyView } from '../access/present.ts'
import { keyIssued } from '../applications/customer-keys.ts'
import { issueKey, issuingReads } from '../applications/new-customer-key.ts'
import { answer, commit, refusal } from '../ledger/ledger.ts'
import { one, put } from '../ledger/reads.ts'
import { refuse } from '../ledger/refusal.ts'
import { requestEntry } from './audit.ts'
import type { KeyRequestDeps } from './deps.ts'
import { decide, decideReveal, isDone } from './machine.ts'
import { keyRequestView } from './present.ts'
import { noKeyRequest } from './queries.ts'
import { keyRequestOf, keyRequests } from './records.ts'
import type { KeyRequestUseCases } from './use-cases.ts'

export function cancelKeyRequest({ ledger }: KeyRequestDeps): KeyRequestUseCases['cancel'] {
  return (actor, requestId) =>
    executeAs(ledger, actor, 'manageCustomerKeys', async ({ now, read }, by) => {
      const [found] = await read([keyRequestOf(requestId)])
      const was = one(keyRequests, found)
      if (!was) return refusal(noKeyRequest)
      if (isDone(was.row, { act: 'cancel' })) return answer(keyRequestView(was.row))
      const cancelled = decide(was.row, { act: 'cancel' }, now)
      if (!cancelled.ok) return refusal(cancelled)
      return commit(
        {
          puts: [put(keyRequests, cancelled.value, was)],
          appends: [requestEntry(cancelled.value, actorName(by), now)],
        },
        keyRequestView(cancelled.value),
      )
    })
}

/** Key and value are made in this commit, so that a value which nobody was shown opens nothing. */
export function revealKey({ ledger }: KeyRequestDeps): KeyRequestUseCases['reveal'] {
  return (actor, requestId) =>
    executeAs(ledger, actor, 'manageCustomerKeys', async (unit, by) => {
      const [found] = await unit.read([keyRequestOf(requestId)])
      const was = one(keyRequests, found)
      if (!was) return refusal(noKeyRequest)
      const { tenantId, applicationId, type, issuedKeyId, requestedBy } = was.row
      if (requestedBy !== actorName(by))
        return refusal(
          refuse('forbidden', 'the value is for the member who asked for it, and nobody else'),
        )
      const revealed = decideReveal(was.row, unit.now)
      if (!revealed.ok) return refusal(revealed)
      if (applicationId === null || type === null || issuedKeyId === null)
        throw new Error(`the key request ${requestId} issues a key and names none`)
      const toIssue = { tenantId, applicationId, type, keyId: issuedKeyId, createdBy: requestedBy }
      const issued = issueKey(unit, toIssue, await unit.read(issuingReads(toIssue)))
      if (!issued.ok) return refusal(issued)
      const { key, value, set } = issued.value
      return commit(
        {
          ...set,
          puts: [...set.puts, put(keyRequests, revealed.value, was)],
          appends: [keyIssued(key, requestId)],
        },
        { ...customerKeyView(key, unit.now), value },
      )
    })
}
