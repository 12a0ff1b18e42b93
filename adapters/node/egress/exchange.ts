import type {
  Clock,
  Exchange,
  ExchangeError,
  ExchangeResult,
  OperatorReason,
} from '@countersign/core/ports'
import type { Dispatcher } from 'undici'
import type { Connection } from './connection.ts'
import type { Deadline, DeadlineWheel } from './deadline-wheel.ts'
import { describeFailure } from './exchange-error.ts'
import type { Job, Origin } from './origin.ts'
import type { Target } from './policy.ts'

/** Most interim answers (1xx) of an exchange. */
const mostInterim = 16

export interface RunningExchange extends Job, Deadline {
  /** Settles at once with `aborted`. */
  abort(): void
}

/** One POST, from the request until it is settled, once, with an answer or an error. */
export function startExchange(
  exchange: Exchange,
  target: Target,
  around: {
    readonly origin: Origin
    readonly wheel: DeadlineWheel<RunningExchange>
    readonly clock: Clock
    readonly settled: (result: ExchangeResult) => void
  },
): RunningExchange {
  const { origin, wheel, clock, settled } = around
  const startedAt = clock.monotonic()
  const at = startedAt + Math.max(1, exchange.deadlineMs)
  let connection: Connection | null = null
  let done = false
  let interim = 0
  let answer: Answer | null = null

  function settle(result: ExchangeResult, reusable: boolean): void {
    if (done) return
    done = true
    wheel.remove(running)
    settled(result)
    if (connection) origin.release(connection, reusable)
    else origin.withdraw(running)
  }

  function fail(error: ExchangeError, detail: string, operators?: OperatorReason): void {
    const latencyMs = clock.monotonic() - startedAt
    settle({ kind: 'error', error, detail, latencyMs, ...(operators && { operators }) }, false)
  }

  /** The status decides, even when the body was cut. */
  function cut(): boolean {
    if (answer) settle(answerOf(answer, true), false)
    return answer !== null
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(controller) {
      // Otherwise undici sends a request that was given up while connecting.
      if (done) controller.abort(new Error('given up'))
    },
    onResponseStart(_controller, status, headers) {
      if (status < 200) {
        if (++interim > mostInterim) fail('protocol', `more than ${mostInterim} interim answers`)
        return
      }
      const now = clock.monotonic()
      // The wheel may be a tick behind.
      if (now >= at) return running.expire()
      const latencyMs = now - startedAt
      answer = { status, headers: flat(headers), latencyMs, chunks: [], kept: 0 }
    },
    onResponseData(_controller, chunk) {
      if (!answer || done) return
      const room = exchange.keepBytes - answer.kept
      answer.chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
      answer.kept += Math.min(room, chunk.length)
      if (chunk.length > room) cut()
    },
    onResponseEnd() {
      if (answer) settle(answerOf(answer, false), true)
    },
    onResponseError(_controller, error) {
      if (cut()) return
      const { error: kind, detail } = describeFailure(error, connection?.stage() ?? 'connect')
      fail(kind, detail)
    },
  }

  const running: RunningExchange = {
    at,
    previous: null,
    next: null,
    run(given) {
      connection = given
      given.dispatch(
        { path: target.path, method: 'POST', headers: headerList(exchange), body: exchange.body },
        handler,
      )
    },
    fail,
    expire() {
      if (!cut()) fail('timeout', `no answer within ${exchange.deadlineMs} ms`)
    },
    abort() {
      if (!cut()) fail('aborted', 'the transport was closed')
    },
  }
  wheel.add(running)
  return running
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly latencyMs: number
  readonly chunks: Uint8Array[]
  kept: number
}

function answerOf(answer: Answer, truncated: boolean): ExchangeResult {
  const { status, headers, latencyMs, chunks, kept } = answer
  const body = new Uint8Array(kept)
  let at = 0
  for (const chunk of chunks) {
    body.set(chunk, at)
    at += chunk.length
  }
  return { kind: 'answer', status, headers, body, truncated, latencyMs }
}

function headerList({ headers }: Exchange): string[] {
  // A compressed answer may be a decompression bomb and is useless in a log.
  const list = ['accept-encoding', 'identity']
  for (const name in headers) list.push(name, headers[name] as string)
  return list
}

function flat(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Readonly<Record<string, string>> {
  const single: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) single[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return single
}
