import type { LogEntry, Versioned } from '../ports/store.ts'

/** An entry of a log with its place. */
export interface PlacedEntry extends LogEntry {
  readonly log: string
  readonly partition: string
}

/** All that a store holds, in pages, as one adapter gives it and another takes it. */
export interface StoreContents {
  /** The rows of a collection in the order of their keys. */
  rows(collection: string): Iterable<readonly Versioned[]>
  /** In the order of their names. */
  counters(): Iterable<readonly (readonly [name: string, value: number])[]>
  /** In the order of log, partition and position. */
  entries(): Iterable<readonly PlacedEntry[]>
}
