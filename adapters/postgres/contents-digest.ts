import { createHash } from 'node:crypto'
import type { Versioned } from '@countersign/core/ports'
import type { PlacedEntry } from '@countersign/core/store-kit'
import { bodyEncoding } from './body-encoding.ts'

/** What a part of a store holds: how many, and SHA-256 (hex) over all of them in their order. */
export interface PartDigest {
  readonly count: number
  readonly sha256: string
}

/** Digests one part of a store: rows of a collection, counters, or entries of logs. */
export interface Digest {
  row(row: Versioned): void
  counter(counter: readonly [name: string, value: number]): void
  entry(entry: PlacedEntry): void
  end(): PartDigest
}

export function createDigest(): Digest {
  const hash = createHash('sha256')
  let count = 0
  const add = (values: Readonly<Record<string, unknown>>) => {
    count++
    hash.update(bodyEncoding.pack(values))
  }
  return {
    row({ row, version, leasedBy }) {
      // Stores may give members in any order.
      const members = Object.entries(row as object).sort(([a], [b]) => (a < b ? -1 : 1))
      add({ version, leasedBy, row: Object.fromEntries(members) })
    },
    counter: ([name, value]) => add({ name, value }),
    entry: ({ log, partition, position, entry, hash: link }) =>
      add({ log, partition, position, entry, link }),
    end: () => ({ count, sha256: hash.digest('hex') }),
  }
}
