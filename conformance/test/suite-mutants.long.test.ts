import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type BrokenReceiver, brokenReceivers } from '@countersign/conformance/broken'
import { properties } from '@countersign/conformance/receiver'
import { inLanes } from '../receiver/lanes.ts'
import type { Property } from '../receiver/property.ts'
import { families } from '../receiver/types.ts'
import { circumstanceNames } from './circumstance-names.ts'
import { circumstancesThatFind, isFound, isFoundWithout } from './suite-mutants.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env

/** All of them in a proof, and else each fourth, by the seed. */
const someOf = <T>(list: readonly T[]): readonly T[] =>
  whole ? list : list.filter((_, at) => at % 4 === Math.abs(Number(seed)) % 4)

const lanes = 3

/** Judged by a list of types, not by families. */
const byTypes = new Set(['acknowledgement.subscription-effects', 'idempotency.every-type'])

const drawsFamilies = ({ everyFamily, name }: Property): boolean =>
  everyFamily || /^(acknowledgement|idempotency|signature)\./.test(name)

describe('the receiver suite with something taken out of it', () => {
  it('misses, without any one circumstance, a receiver that it found by that one alone', async () => {
    const foundByOne = new Map<string, string>()
    const skipping = brokenReceivers.filter(
      ({ killedBy }) => killedBy === 'signature.circumstances',
    )
    const drawn = someOf(circumstanceNames)
    const rest = circumstanceNames.filter((name) => !drawn.includes(name))
    await inLanes(skipping, lanes, async (receiver) => {
      const [only, ...others] = await circumstancesThatFind(receiver, drawn)
      if (only === undefined || others.length > 0) return
      const beside = await circumstancesThatFind(receiver, rest)
      if (beside.size === 0) foundByOne.set(only, receiver.name)
    })
    const idle = drawn.filter((name) => !foundByOne.has(name))
    assert.deepEqual(idle, [], 'each is needed')
  })

  for (const family of families)
    it(`misses, without events of the family ${family}, what receivers do worse with those`, async () => {
      const own = brokenReceivers.filter((one) => one.family === family)
      const judged = new Set(own.map(({ killedBy }) => killedBy))
      const missing = properties.filter(
        (one) => drawsFamilies(one) && !judged.has(one.name) && !byTypes.has(one.name),
      )
      assert.deepEqual(
        missing.map(({ name }) => name),
        [],
      )
      const wrong: string[] = []
      await inLanes(someOf(own), lanes, async (receiver: BrokenReceiver) => {
        const { name, killedBy } = receiver
        if (!(await isFound(receiver))) wrong.push(`missed with it: ${name}, ${killedBy}`)
        if (await isFoundWithout(family, receiver))
          wrong.push(`found without it: ${name}, ${killedBy}`)
      })
      assert.deepEqual(wrong, [])
    })
})
