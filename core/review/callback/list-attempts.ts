import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { authorizeMember } from '../../kernel/callers/authorize.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { answer, refusal } from '../../kernel/ledger/ledger.ts'
import { checkListQuery, countOf, type ListSource, listingOf } from '../../kernel/ledger/listing.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { ok } from '../../kernel/ledger/refusal.ts'
import { readAs } from '../../organizations/access/read-as.ts'
import { attemptPiece, keptAttempts } from '../../outbox/attempt-log.ts'
import { type AttemptRecord, attempts, messages } from '../../outbox/records.ts'
import type { ReviewDeps } from '../deps.ts'
import { loadCase } from '../execution/load-case.ts'
import type { ReviewCase } from '../records.ts'
import { hasOwnKey, openOutcome } from '../sealing.ts'
import type { ReviewCaseUseCases } from '../use-cases.ts'
import type { CallbackAttemptView } from '../view.ts'
import { callbackIdOf } from './callback-id.ts'

interface Seen {
  readonly review: ReviewCase
  readonly isErased: boolean
  readonly now: number
}

/** The attempts of seven days to send a case's outcome callback, for members who may read the case. */
export function createListAttempts({
  ledger,
  sealer,
}: ReviewDeps): ReviewCaseUseCases['listCallbackAttempts'] {
  return async (actor, reviewCaseId, query) => {
    const who = authorizeMember(actor, 'readCases')
    if (!who.ok) return who
    const { tenantId } = who.value
    const seen = await ledger.execute<Seen>(tenantId, async (unit) => {
      const loaded = await loadCase(unit, actor, 'readCases', reviewCaseId)
      if (!loaded.ok) return refusal(loaded)
      const { was, isErased } = loaded.value
      return answer({ review: was.row, isErased, now: unit.now })
    })
    if (!seen.ok) return seen
    const asked = checkListQuery(query)
    if (!asked.ok) return asked
    const { review, isErased, now } = seen.value
    // An open case owes no callback, and no message has this id.
    const callbackId = review.state === 'open' ? '' : callbackIdOf(review)
    const read = readAs(ledger, who.value, 'readCases')

    async function digestOfBody(): Promise<string | null> {
      if (isErased || review.presentation === null) return null
      const [found] = await read([get(messages, [callbackId])])
      const message = one(messages, found)
      if (!message || hasOwnKey(message.row.body)) return null
      return bytesToHex(sha256(openOutcome(sealer, message.row)))
    }

    const source: ListSource<AttemptRecord, CallbackAttemptView> = {
      collection: attempts,
      where: [
        ['endpointId', '=', review.applicationId],
        ['messageId', '=', callbackId],
        keptAttempts(now),
      ],
      by: 'byMessage',
      newest: true,
      cursor: 'attemptId',
      piece: attemptPiece,
      tell: async (rows) => {
        const bodySha256 = await digestOfBody()
        return rows.map(({ row }) => viewOf(row, bodySha256))
      },
    }
    const [counted] = await ledger.read(tenantId, [countOf(source)])
    return ok(listingOf(source, query, counted, read))
  }
}

function viewOf(attempt: AttemptRecord, bodySha256: string | null): CallbackAttemptView {
  return {
    attemptId: attempt.attemptId,
    callbackId: attempt.messageId,
    attempt: attempt.attempt,
    trigger: attempt.trigger,
    startedAt: isoTime(attempt.startedAt),
    latencyMs: attempt.latencyMs,
    outcome: attempt.outcome,
    error: attempt.error,
    responseStatus: attempt.responseStatus,
    bodySha256,
  }
}
