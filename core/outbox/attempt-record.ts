import type { Random } from '../base/ports/random.ts'
import type { ExchangeResult } from '../base/ports/transport.ts'
import { newId } from '../kernel/ledger/ids.ts'
import { describeFailure } from './answer.ts'
import type { Headers } from './kind.ts'
import { interruptedBefore } from './machine.ts'
import type { AttemptRecord, Delivery } from './records.ts'

function triggerOf(delivery: Delivery, attempt: number): AttemptRecord['trigger'] {
  return attempt === 1 ? delivery.trigger : 'retry'
}

/** The log's entry of an attempt that was settled. One literal: a spread costs as much as signing, for each attempt. */
export function recordOf(
  before: Delivery,
  sent: { readonly startedAt: number; readonly headers: Headers },
  result: ExchangeResult,
  more: { readonly attemptId: string; readonly keepBytes: number },
): AttemptRecord {
  const answered = result.kind === 'answer' ? result : null
  const tooLong = answered !== null && answered.body.length > more.keepBytes
  const error = describeFailure(result)
  return {
    endpointId: before.endpointId,
    attemptId: more.attemptId,
    tenantId: before.tenantId,
    applicationId: before.applicationId,
    deliveryId: before.deliveryId,
    messageId: before.messageId,
    type: before.type,
    family: before.family,
    attempt: before.attempts,
    trigger: triggerOf(before, before.attempts),
    startedAt: sent.startedAt,
    latencyMs: Math.round(result.latencyMs),
    outcome: error === null ? 'delivered' : 'failed',
    error,
    requestHeaders: sent.headers,
    responseStatus: answered ? answered.status : null,
    responseHeaders: answered ? answered.headers : null,
    responseBody: tooLong ? answered.body.slice(0, more.keepBytes) : (answered?.body ?? null),
    truncated: tooLong || (answered?.truncated ?? false),
  }
}

/**
 * Log entries of attempts whose answers were lost before this claim, so that attempt numbers have no gap. Their start
 * is unknown and set just before `foundAt`, the wall time of the claim that found them.
 */
export function interruptedRecords(
  claimed: Delivery,
  after: Delivery,
  foundAt: number,
  random: Random,
): readonly AttemptRecord[] {
  const lost = interruptedBefore(claimed, after)
  return lost.map((attempt, at) => {
    const startedAt = foundAt - (lost.length - at)
    return {
      endpointId: claimed.endpointId,
      attemptId: newId('att', startedAt, random),
      tenantId: claimed.tenantId,
      applicationId: claimed.applicationId,
      deliveryId: claimed.deliveryId,
      messageId: claimed.messageId,
      type: claimed.type,
      family: claimed.family,
      attempt,
      trigger: triggerOf(claimed, attempt),
      startedAt,
      latencyMs: 0,
      outcome: 'failed',
      error: 'interrupted',
      requestHeaders: {},
      responseStatus: null,
      responseHeaders: null,
      responseBody: null,
      truncated: false,
    }
  })
}
