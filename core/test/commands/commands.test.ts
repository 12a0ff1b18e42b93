import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { commands, situations } from './commands.ts'
import { type Fault, interleaver } from './interleave.ts'
import { world } from './world.ts'

const claimed = 'a claimed case'
const dueDeletion = 'a deletion whose grace period is over, and an erasure'

/** Pairs of which each changes what the other rests on. */
const pairs = [
  [claimed, 'approve the case', 'reject the case'],
  [claimed, 'approve the case', 'cancel the case'],
  [claimed, 'approve the case', 'deactivate one admin'],
  [claimed, 'demote one admin', 'demote the other admin'],
  [claimed, 'accept the invitation', 'withdraw the invitation'],
  [claimed, 'delete the application', 'begin a session'],
  [claimed, 'delete the organization', 'create an application'],
  [claimed, 'create an application', 'delete the organization'],
  ['a key that waits to be revealed', 'reveal the key', 'reveal the key'],
  [dueDeletion, 'erase somebody in the application', 'purge what is due'],
  [dueDeletion, 'keep the application', 'purge what is due'],
] as const

/** Stores that do not fence a commit, and a pair that tells. */
const faults: Readonly<
  Record<string, { readonly fault: Fault; readonly pair: (typeof pairs)[number] }>
> = {
  'checks that count for nothing': {
    fault: (store) => (set) => store.commit({ ...set, checks: [] }),
    pair: [dueDeletion, 'erase somebody in the application', 'purge what is due'],
  },
  'a row written as it was that is not written': {
    fault: (store) => (set) =>
      store.commit({ ...set, puts: (set.puts ?? []).filter(({ row, was }) => row !== was?.row) }),
    pair: [claimed, 'delete the organization', 'create an application'],
  },
}

describe('two commands at the same time', () => {
  for (const [situation, first, second] of pairs)
    it(`come out as one after the other: ${first}, ${second}`, async () => {
      assert.equal(await interleaver(situation).fault(first, second), null)
    })

  for (const [name, { fault, pair }] of Object.entries(faults))
    it(`do not with ${name}`, async () => {
      const [situation, first, second] = pair
      assert.notEqual(await interleaver(situation, fault).fault(first, second), null)
    })

  it('are each accepted in some situation', async () => {
    const accepted = new Set<string>()
    for (const prepare of Object.values(situations))
      for (const [name, command] of Object.entries(commands)) {
        if (accepted.has(name)) continue
        const w = await world()
        await prepare(w)
        if ((await command(w)).ok) accepted.add(name)
      }
    assert.deepEqual(
      Object.keys(commands).filter((name) => !accepted.has(name)),
      [],
    )
  })
})
