import assert from 'node:assert/strict'
import { it } from 'node:test'
import { collections, logs } from '@countersign/core'
import type { Collection } from '@countersign/core/ports'
import { oneDay, periodDays, prepared } from './steady-load.ts'
import { hour, steadyWorld, type TableSize } from './steady-world.ts'

const all = collections as readonly unknown[] as readonly Collection[]
/** Whole periods of a year. */
const periods = 13
/** The longest of all rules is 90 days, and what it keeps from ending may add a month. */
const settledAfter = 6

/** Tables that may grow for good: those whose declaration says why, the audit log, and a counter for each month. */
const growing = new Set([
  ...all.flatMap(({ name, retain }) => ('keep' in retain ? name : [])),
  '_logs',
  '_counters',
])

/** Collections of which such a load leaves nothing. */
const unused = [
  'authenticators',
  'spentStatements',
  'signInProviders',
  'signInDomains',
  'providerIdentities',
  'reviewNotices',
  'passwordResets',
  'owedMails',
  'sealing',
  'sessionAliases',
  'redactionPolicySets',
  'reviewerGuidelines',
  'ingestRuleSets',
  'erasureMarks',
  'owedOutcomes',
  'outcomeKeys',
  'purges',
]

type Peaks = ReadonlyMap<string, TableSize>

function peaksOf(samples: readonly Peaks[]): Peaks {
  const peaks = new Map<string, TableSize>()
  for (const sample of samples)
    for (const [name, { rows, bytes }] of sample) {
      const most = peaks.get(name) ?? { rows: 0, bytes: 0 }
      peaks.set(name, { rows: Math.max(most.rows, rows), bytes: Math.max(most.bytes, bytes) })
    }
  return peaks
}

it('a year of steady load: rows, bytes and blobs stop growing, but for what is kept for good', async (t) => {
  assert.deepEqual(
    logs.map(({ name }) => name),
    ['audit'],
  )
  const world = await steadyWorld()
  try {
    const loaded = await prepared(world)
    const peaks: Peaks[] = []
    const blobs: number[] = []
    for (let period = 0; period < periods; period++) {
      const samples: Peaks[] = []
      let most = 0
      for (let at = 0; at < periodDays; at++) {
        await oneDay(world, loaded, period * periodDays + at)
        await world.pass(hour)
        samples.push(world.sizes())
        most = Math.max(most, world.blobs.objects().size)
        await world.pass(23 * hour)
      }
      peaks.push(peaksOf(samples))
      blobs.push(most)
    }
    const [before, after] = [peaks.slice(settledAfter, 9), peaks.slice(-3)].map((some) =>
      peaksOf(some),
    )
    assert.ok(before && after)
    for (const [name, { rows, bytes }] of after) {
      const was = before.get(name) ?? { rows: 0, bytes: 0 }
      t.diagnostic(`${name}: ${was.rows} to ${rows} rows, ${was.bytes} to ${bytes} bytes`)
    }
    const rising = [...after].filter(([name, { rows, bytes }]) => {
      const was = before.get(name) ?? { rows: 0, bytes: 0 }
      // A page more or less: rows of other sizes fill pages otherwise.
      return !growing.has(name) && (rows > was.rows || bytes > was.bytes * 1.1 + 8_192)
    })
    assert.deepEqual(rising, [])
    assert.ok(Math.max(...blobs.slice(-3)) <= Math.max(...blobs.slice(settledAfter, 9)))
    const empty = all.flatMap(({ name }) => (after.get(name)?.rows ? [] : name))
    assert.deepEqual(new Set(empty), new Set(unused))
  } finally {
    await world.close()
  }
})
