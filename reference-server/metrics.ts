import type { Observer, Store } from '@countersign/core/ports'
import type { Middleware } from 'koa'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

type Fields = Parameters<Observer['event']>[1]

export interface Metrics {
  readonly registry: Registry
  readonly observer: Observer
  /** Times requests by route and status; no label holds an id, a tenant or a URL. */
  readonly middleware: Middleware
  /** Times a store's commits, and asks it for the age of the oldest due delivery. */
  watch(store: Store, now: () => number): Store
}

const commitSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1]
const attemptSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const faulty = new Set([
  'outbox.fault',
  'work.failed',
  'work.store_failed',
  'http.unexpected_error',
])

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'countersign_' })
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: `countersign_${name}`, help, labelNames, registers })
  const seconds = (name: string, help: string, labelNames: string[], buckets: number[]) =>
    new Histogram({ name: `countersign_${name}_seconds`, help, labelNames, buckets, registers })

  const settled = counter('deliveries_total', 'Deliveries settled, by what became of them', [
    'family',
    'result',
  ])
  const deadLetters = counter('dead_letters_total', 'Deliveries given up', ['family'])
  const stale = counter('stale_completions_total', 'Settles refused by the fencing token')
  const leases = counter('leases_expired_total', 'Deliveries whose lease ended before their settle')
  const refusals = counter('ssrf_refusals_total', 'Attempts whose address egress refused')
  const logins = counter('logins_total', 'Logins by outcome', ['outcome'])
  const faults = counter('faults_total', 'Unexpected errors and broken ports', ['event'])
  const attempts = seconds(
    'delivery_attempt_duration',
    'Time of one exchange with an endpoint',
    ['family'],
    attemptSeconds,
  )
  const commits = seconds(
    'store_commit_duration',
    'Time until a change set was durable, waiting for its group included',
    [],
    commitSeconds,
  )
  const requests = seconds(
    'http_request_duration',
    'Time of one API request',
    ['method', 'route', 'status'],
    attemptSeconds,
  )

  const handlers: Readonly<Record<string, (fields: Fields) => void>> = {
    'delivery.settled': ({ family, result }) => {
      settled.inc({ family: String(family), result: String(result) })
      if (result === 'dead_lettered') deadLetters.inc({ family: String(family) })
    },
    'delivery.attempted': ({ family, latencyMs, error }) => {
      attempts.observe({ family: String(family) }, Number(latencyMs) / 1000)
      if (error === 'refused_address') refusals.inc()
    },
    'delivery.stale_completion': () => stale.inc(),
    'delivery.lease_lost': () => leases.inc(),
    login: ({ outcome }) => logins.inc({ outcome: String(outcome) }),
  }

  return {
    registry,
    observer: {
      event: (name, fields) => {
        handlers[name]?.(fields)
        if (faulty.has(name)) faults.inc({ event: name })
      },
    },
    middleware: async (ctx, next) => {
      const end = requests.startTimer()
      try {
        await next()
      } finally {
        const route = String(ctx._matchedRoute ?? 'none')
        end({ method: ctx.method, route, status: String(ctx.status) })
      }
    },
    watch: (store, now) => {
      new Gauge({
        name: 'countersign_outbox_oldest_age_seconds',
        help: 'How long the oldest due delivery has waited; page on this',
        registers,
        async collect() {
          try {
            const due = await store.nextDue({ in: 'deliveries' })
            this.set(due === null ? 0 : Math.max(0, (now() - due) / 1000))
          } catch {
            // Unknown, and no reason to withhold every other figure; /readyz says what is wrong with the store.
            this.set(Number.NaN)
          }
        },
      })
      return {
        ...store,
        commit: async (set) => {
          const end = commits.startTimer()
          const outcome = await store.commit(set)
          end()
          return outcome
        },
      }
    },
  }
}
