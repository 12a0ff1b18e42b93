import { deliveries, workItems } from '@countersign/core/internal'
import type { Store } from '@countersign/core/ports'
import { Gauge, type Registry } from 'prom-client'
import type { StoreTotals } from './store-totals.ts'

/** Sizes in bytes, of a store that lies in files. */
export interface StoreFiles {
  readonly databaseBytes: number
  readonly walBytes: number
  readonly freeDiskBytes: number
}

/** Kinds of work are few and named in the code. */
const mostKinds = 100

/**
 * What a store holds, asked at each scrape: totals that are kept, first entries of indexes, sizes of files. Nothing here
 * takes longer for a larger backlog. A figure that can't be read is NaN: no reason to withhold all others.
 */
export function registerGauges(
  registers: Registry[],
  from: {
    readonly store: Store
    readonly now: () => number
    readonly totals: StoreTotals
    readonly files: (() => StoreFiles) | null
  },
): void {
  const { store, now, totals, files } = from
  const gauge = (
    name: string,
    help: string,
    labelNames: string[],
    collect: (
      set: (value: number, labels?: Record<string, string>) => void,
    ) => Promise<void> | void,
  ) =>
    new Gauge({
      name: `countersign_${name}`,
      help,
      labelNames,
      registers,
      async collect() {
        try {
          await collect((value, labels = {}) => this.set(labels, value))
        } catch {
          this.reset()
          if (labelNames.length === 0) this.set(Number.NaN)
        }
      },
    })
  const age = (since: number | null) => (since === null ? 0 : Math.max(0, (now() - since) / 1000))

  gauge(
    'outbox_oldest_age_seconds',
    'How long the oldest due delivery has waited; page on this',
    [],
    async (set) => set(age(await store.nextDue({ in: deliveries.name }))),
  )
  gauge('outbox_depth', 'Deliveries that are not done, by state', ['state'], (set) => {
    set(totals.pending.depth, { state: 'pending' })
    set(totals.retrying.depth, { state: 'retry_scheduled' })
  })
  gauge(
    'outbox_age_seconds',
    'Time since the oldest delivery of a state was owed, to the minute',
    ['state'],
    (set) => {
      set(age(totals.pending.oldest), { state: 'pending' })
      set(age(totals.retrying.oldest), { state: 'retry_scheduled' })
    },
  )
  gauge('webhooks_turned_off', 'Webhooks that are off', [], (set) => set(totals.webhooksOff))
  const lag = gauge(
    'work_lag_seconds',
    'How long the oldest due work has waited, by kind; reviewCase.deadline are the deadlines of cases',
    ['kind'],
    async (set) => {
      const query = { in: workItems.name, now: now(), after: '', take: mostKinds }
      const due = await store.lanes(query)
      lag.reset()
      set(0, { kind: 'reviewCase.deadline' })
      for (const one of due) set(age(one.due), { kind: one.lane })
    },
  )
  if (files)
    gauge(
      'store_bytes',
      'Sizes of the database files, and what is free beside them',
      ['part'],
      (set) => {
        const { databaseBytes, walBytes, freeDiskBytes } = files()
        set(databaseBytes, { part: 'database' })
        set(walBytes, { part: 'wal' })
        set(freeDiskBytes, { part: 'free_disk' })
      },
    )
}
