import type { Exchange, ExchangeResult, Transport } from '@countersign/core/ports'
import type { Mode } from './plan.ts'
import type { World } from './world.ts'

/** One exchange as it began, and how it ended for the sender. */
export interface Post {
  readonly by: string
  readonly url: string
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** The body as text, and as what it says. */
  readonly text: string
  readonly event: Readonly<Record<string, unknown>>
  /** Virtual ms. */
  readonly startedAt: number
  /** Of the sender's wall clock, ms. */
  readonly wall: number
  /** Null while the sender waits, and for ever when it does not live to hear. */
  result: ExchangeResult | null
  resultAt: number | null
}

export interface EndpointAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Ms that the receiver takes. */
  readonly takes: number
}

export interface Site {
  /** What a request does at the receiver, on arrival. */
  receive(post: Post, mode: Mode): EndpointAnswer
}

export interface Network {
  transport(process: {
    readonly name: string
    readonly alive: boolean
    readonly clock: { now(): number }
  }): Transport
  setMode(host: number, mode: Mode): void
  readonly posts: readonly Post[]
  /** Whether this process waits for an answer. */
  isWaiting(process: string | undefined): boolean
}

const utf8 = new TextEncoder()
const fromUtf8 = new TextDecoder()

export function hostOf(url: string): number {
  return Number(/^https:\/\/h(\d+)\./.exec(url)?.[1] ?? 0)
}

/** Exchanges that are lost, late, doubled or forgotten, and endpoints that answer by their mode. */
export function createNetwork(
  world: World,
  site: Site,
  on: { posting(post: Post, deadlineMs: number): void; ended(post: Post): void },
): Network {
  const { time, chance, plan } = world
  const modes = new Map<number, Mode>()
  const posts: Post[] = []
  const waiting = new Map<string, number>()

  function happens(rate: number): boolean {
    return world.phase === 'safety' && chance.chance(rate)
  }

  function wait({ by }: Post, more: 1 | -1): void {
    waiting.set(by, (waiting.get(by) ?? 0) + more)
  }

  function arrive(post: Post): EndpointAnswer {
    const mode = modes.get(hostOf(post.url)) ?? 'well'
    const answer = site.receive(post, mode)
    world.note(() => `${post.url} gets ${post.id} and answers ${answer.status}`)
    return answer
  }

  function resultOf(answer: EndpointAnswer, latencyMs: number): ExchangeResult {
    const body = utf8.encode(answer.body ?? '')
    const { status, headers = {} } = answer
    return { kind: 'answer', status, headers, body, truncated: false, latencyMs }
  }

  /** When and with what the sender hears; arranges what the receiver sees on the way. */
  function travel(post: Post, exchange: Exchange, tell: (result: ExchangeResult) => void): void {
    const { rates } = plan
    const { deadlineMs } = exchange
    const failed = (error: 'connect' | 'timeout', afterMs: number) =>
      time.after(afterMs, () => tell({ kind: 'error', error, detail: error, latencyMs: afterMs }))
    if ((modes.get(hostOf(post.url)) ?? 'well') === 'refused') {
      failed('connect', 1)
      return
    }
    if (happens(rates.duplicate)) time.after(chance.below(45_000), () => arrive(post))
    if (happens(rates.dropRequest)) {
      failed(chance.chance(0.3) ? 'connect' : 'timeout', chance.chance(0.3) ? 40 : deadlineMs)
      return
    }
    const there = happens(rates.delay) ? chance.below(45_000) : 1 + chance.below(20)
    const forgotten = happens(rates.forget)
    const lost = happens(rates.dropAnswer)
    let over = false
    if (!forgotten)
      time.after(deadlineMs, () => {
        if (over) return
        over = true
        tell({ kind: 'error', error: 'timeout', detail: 'deadline', latencyMs: deadlineMs })
      })
    time.after(there, () => {
      const answer = arrive(post)
      if (lost || forgotten) return
      time.after(answer.takes, () => {
        if (over) return
        over = true
        tell(resultOf(answer, time.now() - post.startedAt))
      })
    })
  }

  return {
    posts,
    isWaiting: (process = '') => (waiting.get(process) ?? 0) > 0,
    setMode(host, mode) {
      modes.set(host, mode)
      world.note(`host ${host} answers ${mode}`)
    },
    transport: (process) => ({
      post(exchange) {
        const text = fromUtf8.decode(exchange.body)
        const event = JSON.parse(text) as Post['event']
        const post: Post = {
          by: process.name,
          url: exchange.url,
          // Messages of the legacy family have their id in the body alone.
          id: exchange.headers['webhook-id'] ?? String(event.id),
          headers: exchange.headers,
          body: Uint8Array.from(exchange.body),
          text,
          event,
          startedAt: time.now(),
          wall: process.clock.now(),
          result: null,
          resultAt: null,
        }
        if (!process.alive) return new Promise<never>(() => {})
        posts.push(post)
        wait(post, 1)
        world.note(() => `${post.by} posts ${post.id} to ${post.url}`)
        on.posting(post, exchange.deadlineMs)
        return new Promise<ExchangeResult>((resolve) => {
          travel(post, exchange, (result) => {
            if (!process.alive) return
            wait(post, -1)
            post.result = result
            post.resultAt = time.now()
            on.ended(post)
            resolve(result)
          })
        })
      },
    }),
  }
}
