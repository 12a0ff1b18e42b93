import { type Change, type HostFaults, type StoreHost, storeHost } from './host.ts'

/** A store that the suite has to fail, by the test that is named. */
export interface BrokenStore {
  readonly name: string
  readonly group: StoreFaultClass
  /** The name of the test without its `store: `. */
  readonly killedBy: string
  host(): StoreHost
}

/** The classes of faults that a store may have. */
export const storeFaultClasses = [
  'atomicity',
  'versions',
  'group commit',
  'unique rules',
  'tenants',
  'queues',
  'order',
  'conditions',
  'paging',
  'snapshots',
  'logs',
  'counters',
  'ranges',
  'values',
  'sizes',
  'durability',
  'sharing',
  'shredding',
] as const

/** One of the classes of faults of stores. */
export type StoreFaultClass = (typeof storeFaultClasses)[number]

type Entry = readonly [name: string, killedBy: string, fault: Change | HostFaults]

/** A class of faults as a table. */
export function faults(group: StoreFaultClass, entries: readonly Entry[]): readonly BrokenStore[] {
  return entries.map(([name, killedBy, fault]) => ({
    name,
    group,
    killedBy,
    host: () => storeHost(typeof fault === 'function' ? { change: fault } : fault),
  }))
}
