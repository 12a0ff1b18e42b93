import type {
  EgressGuard,
  Exchange,
  ExchangeError,
  ExchangeResult,
  Transport,
} from '../base/ports/transport.ts'

/** What the other side does: one result after another, or a function of the exchange and its number from 0. */
export type TransportScript =
  | readonly ExchangeResult[]
  | ((exchange: Exchange, number: number) => ExchangeResult | Promise<ExchangeResult>)

/** A transport that answers by a script and records what was sent. */
export interface ScriptedTransport extends Transport {
  /** Every exchange so far, in the order of sending. */
  readonly exchanges: readonly Exchange[]
  /** What happens from now on. */
  follow(script: TransportScript): void
}

const utf8 = new TextEncoder()

/** An answer with this status. */
export function answered(
  status: number,
  more: {
    readonly body?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly latencyMs?: number
    readonly truncated?: boolean
  } = {},
): ExchangeResult {
  return {
    kind: 'answer',
    status,
    headers: more.headers ?? {},
    body: utf8.encode(more.body ?? ''),
    truncated: more.truncated ?? false,
    latencyMs: more.latencyMs ?? 1,
  }
}

/** An exchange that got no answer. */
export function failed(error: ExchangeError, detail: string = error): ExchangeResult {
  return { kind: 'error', error, detail, latencyMs: 1 }
}

/** A transport that sends nothing and records everything; a list that runs out throws, for then the test is wrong. */
export function scriptedTransport(script: TransportScript): ScriptedTransport {
  const exchanges: Exchange[] = []
  let current = script
  let started = 0
  return {
    exchanges,
    follow(next) {
      current = next
      started = exchanges.length
    },
    async post(exchange) {
      const number = exchanges.length - started
      exchanges.push({ ...exchange, body: Uint8Array.from(exchange.body) })
      if (typeof current === 'function') return current(exchange, number)
      const result = current[number]
      if (!result)
        throw new Error(`the script has ${current.length} results, exchange ${number + 1} came`)
      return result
    },
  }
}

/** Refuses the URLs that the function names a reason for; none by default. */
export function scriptedEgress(refusal: (url: string) => string | null = () => null): EgressGuard {
  return {
    check: async (url) => {
      const detail = refusal(url)
      return detail === null ? { ok: true } : { ok: false, code: 'refused_address', detail }
    },
  }
}
