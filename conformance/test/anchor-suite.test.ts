import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anchorSuite } from '@countersign/conformance/anchors'
import type { AnchorLedger } from '@countersign/core/ports'
import { createDelayedLedger } from '@countersign/core/testing'
import { failuresOf } from './run-suite.ts'

const settledAfterMs = 60_000

const failures = (change: (ledger: AnchorLedger) => Partial<AnchorLedger>) =>
  failuresOf((test) =>
    anchorSuite({
      test,
      create: async () => {
        const ledger = createDelayedLedger(settledAfterMs)
        return { ...ledger, ...change(ledger) }
      },
      hashOf: ({ commitment }) => commitment,
      settledAfterMs,
    }),
  )

describe('anchor suite', () => {
  it('passes the ledger that every broken one is made of', async () => {
    assert.deepEqual([...(await failures(() => ({})))], [])
  })

  const broken: Readonly<
    Record<string, readonly [string, (ledger: AnchorLedger) => Partial<AnchorLedger>]>
  > = {
    'answers in another order': [
      'each commitment has its entry, in order',
      ({ submit }) => ({ submit: async (given) => (await submit(given)).toReversed() }),
    ],
    'leaves one out': [
      'each commitment has its entry, in order',
      ({ submit }) => ({ submit: async (given) => (await submit(given)).slice(1) }),
    ],
    'names another ledger': [
      'entries are of this ledger and have their form',
      () => ({ name: 'x' }),
    ],
    'takes what it has once more': [
      'what is submitted again is not taken twice',
      ({ submit }) => {
        let calls = 0
        return {
          submit: async (given) => {
            const made = await submit(given)
            const keyId = `key ${++calls}`
            return made.map((each) => ({ ...each, entry: { ...each.entry, keyId } }))
          },
        }
      },
    ],
    'knows one tenant': [
      'tenants do not meet',
      ({ submit }) => ({
        submit: async (given) =>
          (await submit({ ...given, tenantId: 'ten_a' })).map((each) =>
            given.tenantId === 'ten_a'
              ? each
              : { ...each, entry: { ...each.entry, sequence: each.entry.sequence + 2 } },
          ),
      }),
    ],
    'never has an entry for good': [
      'an entry is there for good in the end, and stays as it is',
      ({ refresh }) => ({
        refresh: async (given) => ({ ...(await refresh(given)), status: 'submitted' }),
      }),
    ],
    'changes a commitment': [
      'an entry is there for good in the end, and stays as it is',
      ({ refresh }) => ({
        refresh: async (given) => {
          const made = await refresh(given)
          return { ...made, entry: { ...made.entry, commitment: 'f'.repeat(64) } }
        },
      }),
    ],
  }
  for (const [name, [killedBy, change]] of Object.entries(broken))
    it(`fails a ledger that ${name}, by: ${killedBy}`, async () => {
      const found = await failures(change)
      assert.match(found.get(`anchors: ${killedBy}`) ?? 'it passed', /^\w*Error: /)
    })
})
