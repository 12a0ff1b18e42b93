import type { ExchangeResult } from '../base/ports/transport.ts'
import { newId } from '../kernel/ledger/ids.ts'
import { failureOf, judge } from './answer.ts'
import { recordOf } from './attempt-record.ts'
import { type DispatcherContext, reportFault } from './context.ts'
import type { BatchEndpoints } from './endpoints.ts'
import type { Endpoint, Headers, Kind } from './kind.ts'
import type { Flight } from './lane.ts'
import { createLogBudget } from './log-budget.ts'
import { settle } from './machine.ts'
import type { AttemptRecord, Delivery } from './records.ts'

/** A POST under way. */
export interface Sent {
  readonly flight: Flight
  readonly kind: Kind
  readonly endpoint: Endpoint
  /** The read that the endpoint is from. */
  readonly loaded: BatchEndpoints
  /** Wall time, for the log. */
  readonly startedAt: number
  /** Monotonic ms, for what must not step. */
  readonly startedMark: number
  headers: Headers
  over: boolean
}

/** A POST and what it means. */
export interface Landed {
  readonly sent: Sent
  readonly result: ExchangeResult
  readonly after: Delivery
  readonly record: AttemptRecord
  readonly gone: boolean
}

/** Grace beyond the transport's own deadline; then the slot is freed without it. */
const graceMs = 2_000

const noHeaders: Headers = {}

export function createSender(
  context: DispatcherContext,
  on: {
    land(landed: Landed): void
    /** Whether it may go out after a wait for its signature. */
    mayStill(sent: Sent): boolean
    /** It may not: nothing was sent. */
    unsent(flight: Flight): void
  },
) {
  const { clock, random, transport, options, time } = context
  const underWay = new Set<Sent>()
  const budget = createLogBudget(options, clock.monotonic)

  /** An internal fault as a failed attempt. */
  function broken(sent: Sent, error: unknown, operation: 'sign' | 'post'): ExchangeResult {
    reportFault(context, operation, error)
    return {
      kind: 'error',
      error: 'aborted',
      detail: `${operation} failed`,
      latencyMs: clock.monotonic() - sent.startedMark,
    }
  }

  function finish(sent: Sent, result: ExchangeResult): void {
    if (sent.over) return
    sent.over = true
    underWay.delete(sent)
    const wall = clock.now()
    const now = time.now()
    const verdict = judge(result, wall)
    const before = sent.flight.found.row
    const after = settle(before, verdict, {
      startedAt: now - Math.floor(clock.monotonic() - sent.startedMark),
      postedAt: sent.startedAt,
      now,
      deliveredAt: wall,
      jitter: verdict.kind === 'failed' ? draw(random.bytes(4)) : 0,
      responseStatus: result.kind === 'answer' ? result.status : null,
      error: failureOf(result),
    })
    const came = result.kind === 'answer' ? Math.min(result.body.length, options.keepBytes) : 0
    const record = recordOf(before, sent, result, {
      attemptId: newId('att', sent.startedAt, random),
      keepBytes: budget.take(before.tenantId, came),
    })
    on.land({ sent, result, after, record, gone: verdict.kind === 'gone' })
  }

  async function post(sent: Sent, body: Uint8Array): Promise<void> {
    const { deadlineMs, keepBytes } = options
    const { headers, endpoint } = sent
    let result: ExchangeResult
    try {
      result = await transport.post({ url: endpoint.url, headers, body, deadlineMs, keepBytes })
    } catch (error) {
      result = broken(sent, error, 'post')
    }
    finish(sent, result)
  }

  function sign({ flight, endpoint, startedAt }: Sent, body: Uint8Array) {
    const { messageId, family } = flight.found.row
    return endpoint.sign({ messageId, body, family, now: startedAt })
  }

  async function openThenPost(sent: Sent, opened: Promise<Uint8Array>): Promise<void> {
    let body: Uint8Array
    try {
      body = await opened
    } catch (error) {
      finish(sent, broken(sent, error, 'sign'))
      return
    }
    const signed = async () => sign(sent, body)
    if (!sent.over) await signThenPost(sent, signed(), body)
  }

  async function signThenPost(
    sent: Sent,
    signed: Promise<Headers>,
    body: Uint8Array,
  ): Promise<void> {
    try {
      sent.headers = await signed
    } catch (error) {
      finish(sent, broken(sent, error, 'sign'))
      return
    }
    // The wait ended it: its slot was reused.
    if (sent.over) return
    if (on.mayStill(sent)) await post(sent, body)
    else {
      sent.over = true
      underWay.delete(sent)
      on.unsent(sent.flight)
    }
  }

  return {
    /** Signs and sends; calls `land` or `unsent` once. */
    send(
      flight: Flight,
      stored: Uint8Array,
      { kind, endpoint, loaded }: Pick<Sent, 'kind' | 'endpoint' | 'loaded'>,
    ): void {
      const startedAt = clock.now()
      const startedMark = clock.monotonic()
      const sent: Sent = {
        flight,
        kind,
        endpoint,
        loaded,
        startedAt,
        startedMark,
        headers: noHeaders,
        over: false,
      }
      underWay.add(sent)
      let body = stored
      let signed: Headers | Promise<Headers>
      try {
        const { messageId, tenantId } = flight.found.row
        const opened = kind.open?.({ tenantId, messageId, body: stored }, endpoint) ?? stored
        if (opened instanceof Promise) {
          void openThenPost(sent, opened)
          return
        }
        body = opened
        signed = sign(sent, body)
      } catch (error) {
        finish(sent, broken(sent, error, 'sign'))
        return
      }
      if (signed instanceof Promise) {
        void signThenPost(sent, signed, body)
        return
      }
      sent.headers = signed
      void post(sent, body)
    },
    /** Ends exchanges past the transport's deadline. */
    reap(): void {
      const oldest = clock.monotonic() - options.deadlineMs - graceMs
      for (const sent of underWay) {
        if (sent.startedMark > oldest) return
        const detail = `no answer within ${options.deadlineMs} ms`
        finish(sent, {
          kind: 'error',
          error: 'timeout',
          detail,
          latencyMs: clock.monotonic() - sent.startedMark,
        })
      }
    },
  }
}

/** A number in [0, 1) from four random bytes. */
function draw(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0) / 2 ** 32
}
