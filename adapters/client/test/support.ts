import { createManualClock } from '@countersign/core/testing'
import type { Surroundings } from '../surroundings.ts'

/** A request as the scripted service sees it. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
  readonly redirect: string | undefined
  readonly at: number
}

/** What a scripted service answers with: a status with a body, or nothing that comes. */
export type Scripted =
  | {
      readonly status: number
      readonly body?: unknown
      /** In the place of a body in JSON. */
      readonly text?: string
      /** In the place of both. */
      readonly stream?: ReadableStream<Uint8Array>
      readonly headers?: Record<string, string>
    }
  | 'network'
  | 'silence'
  /** What fetch throws. */
  | Error

export const ingestUrl = 'https://ingest.example'
export const key = 'svc_app_0123456789abcdef0123456789abcdef0123456789ab'

/** Surroundings in the place of the right ones, by which a client errs. */
export type Swap = (right: Surroundings) => Partial<Surroundings>

/** An error body as the service writes it. */
export function refusal(code: string, status: number, more: object = {}): Scripted {
  return {
    status,
    body: {
      type: `urn:countersign:error:${code}`,
      title: code,
      status,
      code,
      detail: `told ${code}`,
      requestId: 'req_1',
      errors: [{ code, detail: 'x', pointer: null, parameter: null }],
      ...more,
    },
  }
}

/** Surroundings with a manual clock, and a service that `answer` plays. */
export function scripted(answer: (seen: Seen, nth: number) => Scripted | Promise<Scripted>) {
  const clock = createManualClock(0)
  const requests: Seen[] = []
  const surroundings: Surroundings = {
    now: () => clock.monotonic(),
    time: () => clock.now(),
    random: () => 0,
    wait: (ms, signal) =>
      new Promise((resolve, reject) => {
        const cancel = clock.after(ms, () => {
          signal.removeEventListener('abort', stop)
          resolve()
        })
        const stop = () => {
          cancel()
          reject(signal.reason)
        }
        if (signal.aborted) stop()
        else signal.addEventListener('abort', stop, { once: true })
      }),
    fetch: async (url, init) => {
      init.signal?.throwIfAborted()
      const { pathname, search } = new URL(url)
      const seen: Seen = {
        method: init.method ?? 'GET',
        path: `${pathname}${search}`,
        headers: init.headers as Record<string, string>,
        body: typeof init.body === 'string' ? JSON.parse(init.body) : {},
        redirect: init.redirect,
        at: clock.monotonic(),
      }
      requests.push(seen)
      const given = await answer(seen, requests.length - 1)
      if (given instanceof Error) throw given
      if (given === 'network') throw new TypeError('fetch failed')
      if (given === 'silence')
        return new Promise((_, reject) => {
          const { signal } = init
          if (signal?.aborted) reject(signal.reason)
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
        })
      const { status, headers } = given
      const text = given.stream ?? given.text ?? JSON.stringify(given.body)
      return new Response(status === 304 ? null : (text ?? null), {
        status,
        headers: { 'content-type': 'application/json', ...headers },
      })
    },
  }

  /** Lets time pass until a promise is done, at most an hour; its value, or what it rejected with. */
  async function outcome<T>(promise: Promise<T>): Promise<{ value: T } | { error: unknown }> {
    let done: { value: T } | { error: unknown } | null = null
    promise.then(
      (value) => {
        done = { value }
      },
      (error: unknown) => {
        done = { error }
      },
    )
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    // What precedes a first request, such as a digest, takes real time.
    while (done === null && requests.length === 0) await turn()
    for (let steps = 0; done === null && steps < 18_000; steps++) {
      for (let turns = 0; turns < 4 && done === null; turns++) await turn()
      if (done === null) await clock.advance(clock.untilNext() ?? 0)
    }
    if (done === null) throw new Error('not done within an hour')
    return done
  }

  return { clock, requests, surroundings, outcome }
}
