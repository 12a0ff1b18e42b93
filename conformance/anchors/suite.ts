import type { AnchorEntry, Anchoring, AnchorLedger } from '@countersign/core/ports'
import { expect, expectEqual } from '../assert.ts'
import type { RegisterTest } from '../register.ts'

/** When the suite submits; a ledger goes by the times that it is given. */
const start = Date.UTC(2026, 0, 1)

const commitmentOf = (number: number) => number.toString(16).padStart(64, '0')
const numbered = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    sequence: first + at,
    commitment: commitmentOf(first + at),
  }))
const placesOf = (made: readonly Anchoring[]) =>
  made.map(({ entry: { sequence, commitment } }) => ({ sequence, commitment }))

/**
 * Proves an anchor ledger: each test gets one from `create`, which has nothing of the tenants `ten_a` and `ten_b`.
 *
 * @example
 * ```ts
 * import test from 'node:test'
 * import { anchorSuite } from '@countersign/conformance/anchors'
 * import { anchorHashOf } from '@countersign/core/evidence'
 * import { openMyLedger } from './my-ledger.js'
 *
 * anchorSuite({ test, create: () => openMyLedger(), hashOf: anchorHashOf })
 * ```
 */
export function anchorSuite(options: {
  readonly test: RegisterTest
  readonly create: () => Promise<AnchorLedger>
  /** The hash of an entry's canonical JSON. */
  readonly hashOf: (entry: AnchorEntry) => string
  /** Ms after which an entry that was taken is there for good (default 0). */
  readonly settledAfterMs?: number
}): void {
  const { test, create, hashOf, settledAfterMs = 0 } = options
  const fresh = (name: string, run: (ledger: AnchorLedger) => Promise<void>): void =>
    void test(`anchors: ${name}`, {}, async () => run(await create()))

  const submit = (ledger: AnchorLedger, tenantId: string, first: number, count: number) =>
    ledger.submit({ tenantId, commitments: numbered(first, count), last: null, now: start })

  fresh('each commitment has its entry, in order', async (ledger) => {
    const made = await submit(ledger, 'ten_a', 1, 5)
    expectEqual(placesOf(made), numbered(1, 5), 'places')
    const last = made.at(-1)?.entry
    expect(last !== undefined, 'the last of five entries is there')
    const more = await ledger.submit({
      tenantId: 'ten_a',
      commitments: numbered(6, 2),
      last: { entry: last, entryHash: hashOf(last) },
      now: start + 1,
    })
    expectEqual(placesOf(more), numbered(6, 2), 'places behind these')
    expectEqual(await submit(ledger, 'ten_a', 8, 0), [], 'entries of no commitment')
  })

  fresh('entries are of this ledger and have their form', async (ledger) => {
    for (const { entry, status } of await submit(ledger, 'ten_a', 1, 2)) {
      expectEqual(entry.anchorVersion, '1.0', 'version')
      expectEqual(entry.ledger, ledger.name, 'ledger')
      expect(/^[0-9a-f]{64}$/.test(entry.previousHash), `previousHash ${entry.previousHash}`)
      expectEqual(
        new Date(Date.parse(entry.anchoredAt)).toISOString(),
        entry.anchoredAt,
        'time in ISO 8601 UTC with milliseconds',
      )
      expect(entry.keyId.length > 0 && entry.signature.length > 0, 'key and signature')
      expectEqual(JSON.parse(JSON.stringify(entry)), entry, 'the entry as JSON')
      expect(['recorded', 'submitted', 'included'].includes(status), `status ${status}`)
    }
  })

  fresh('what is submitted again is not taken twice', async (ledger) => {
    const made = await submit(ledger, 'ten_a', 1, 3)
    expectEqual(await submit(ledger, 'ten_a', 1, 3), made, 'entries')
  })

  fresh('tenants do not meet', async (ledger) => {
    const made = await submit(ledger, 'ten_a', 1, 2)
    const other = await submit(ledger, 'ten_b', 1, 3)
    expectEqual(placesOf(other), numbered(1, 3), 'places of the other')
    expectEqual(await submit(ledger, 'ten_a', 1, 2), made, 'entries of the first')
  })

  fresh('an entry is there for good in the end, and stays as it is', async (ledger) => {
    const made = await submit(ledger, 'ten_a', 1, 2)
    for (const { entry } of made) {
      const now = start + settledAfterMs
      const settled = await ledger.refresh({ tenantId: 'ten_a', entry, now })
      expectEqual(placesOf([settled]), placesOf([{ ...settled, entry }]), 'its place')
      expect(settled.status !== 'submitted', `after ${settledAfterMs} ms it is ${settled.status}`)
      const later = { tenantId: 'ten_a', entry: settled.entry, now: now + 1_000 }
      expectEqual(await ledger.refresh(later), settled, 'the entry later')
    }
  })
}
