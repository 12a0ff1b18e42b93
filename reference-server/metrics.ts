import {
  type ObservedEvents,
  type Observer,
  observedEvents,
  type Store,
} from '@countersign/core/ports'
import type { Middleware } from 'koa'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { registerGauges, type StoreFiles } from './store-gauges.ts'
import { createStoreTotals, type DeadLetterCause } from './store-totals.ts'

export interface Metrics {
  readonly registry: Registry
  readonly observer: Observer
  /** Times requests by route and status; no label holds an id, a tenant or a URL. */
  readonly middleware: Middleware
  /** Times a store's commits, keeps totals of what they change, and asks it for the age of what is due. */
  watch(store: Store, now: () => number, files?: () => StoreFiles): Watched
}

/** A store whose commits are counted. */
export interface Watched extends Store {
  /** Counts what it holds already; to be awaited before anything is committed. */
  fill(): Promise<void>
  /** Tenants whose audit log grew since the last call. */
  takeAudited(): readonly string[]
  /** Deliveries given up since the last call, by cause. */
  takeDeadLetters(): ReadonlyMap<DeadLetterCause, number>
}

const commitSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1]
const attemptSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

type Attempted = ObservedEvents['delivery.attempted']

/** `notice` hears what a person should read in the log. */
export function createMetrics(notice?: Observer): Metrics {
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
  const deadLetters = counter('dead_letters_total', 'Deliveries given up, by cause', [
    'family',
    'cause',
  ])
  const failures = counter('delivery_failures_total', 'Attempts that failed, by class', [
    'family',
    'class',
  ])
  const turnedOff = counter('webhooks_turned_off_total', 'Webhooks turned off', ['reason'])
  const audited = counter('audit_entries_total', 'Entries appended to audit logs')
  const stale = counter('stale_completions_total', 'Settles refused by the fencing token')
  const leases = counter('leases_expired_total', 'Deliveries whose lease ended before their settle')
  const refusals = counter('ssrf_refusals_total', 'Attempts whose address egress refused')
  const logins = counter('logins_total', 'Logins by outcome', ['outcome'])
  const broken = counter('exports_broken_off_total', 'Archives that ended before their end', [
    'transfer',
    'reason',
  ])
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

  const attempted = ({ family, latencyMs, error, status, outcome }: Attempted): void => {
    if (outcome === 'failed') failures.inc({ family, class: failureClass(error, status) })
    attempts.observe({ family }, latencyMs / 1000)
    if (error === 'refused_address') refusals.inc()
  }

  return {
    registry,
    observer: {
      event: (name, facts) => {
        if (observedEvents[name].severity === 'error') faults.inc({ event: name })
        // Of facts, codes alone become labels.
        if (name === 'delivery.attempted') attempted(facts)
        else if (name === 'delivery.settled')
          settled.inc({ family: facts.family, result: facts.result })
        else if (name === 'delivery.stale_completion') stale.inc()
        else if (name === 'delivery.lease_lost') leases.inc()
        else if (name === 'evidence.broken_off')
          broken.inc({ transfer: facts.transfer, reason: facts.reason })
        else if (name === 'login') logins.inc({ outcome: facts.outcome })
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
    watch: (store, now, files) => {
      const auditedTenants = new Set<string>()
      const recentDeadLetters = new Map<DeadLetterCause, number>()
      const totals = createStoreTotals({
        deadLetter: ({ family }, cause) => {
          deadLetters.inc({ family, cause })
          recentDeadLetters.set(cause, (recentDeadLetters.get(cause) ?? 0) + 1)
        },
        turnedOff: ({ webhookId, tenantId, statusReason }) => {
          turnedOff.inc({ reason: String(statusReason) })
          notice?.event('webhook.turned_off', { webhookId, tenantId, reason: statusReason })
        },
        audited: (tenantId) => {
          audited.inc()
          auditedTenants.add(tenantId)
        },
      })
      registerGauges(registers, { store, now, totals, files: files ?? null })
      return {
        ...store,
        fill: () => totals.fill(store),
        takeAudited: () => taken(auditedTenants),
        takeDeadLetters: () => new Map(taken(recentDeadLetters)),
        commit: async (set) => {
          const end = commits.startTimer()
          const outcome = await store.commit(set)
          end()
          if (outcome.committed) totals.committed(set)
          return outcome
        },
      }
    },
  }
}

/** All of it; from now on it is empty. */
function taken<T>(from: Iterable<T> & { clear(): void }): readonly T[] {
  const all = [...from]
  from.clear()
  return all
}

/** A few classes: what the transport says of an exchange without an answer, else the hundreds of the status. */
function failureClass(error: Attempted['error'], status: Attempted['status']): string {
  return error ?? (status === null ? 'unknown' : `${Math.floor(status / 100)}xx`)
}
