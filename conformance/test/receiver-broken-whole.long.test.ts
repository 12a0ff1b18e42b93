import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type BrokenReceiver, brokenReceivers, faultClasses } from '@countersign/conformance/broken'
import { inLanes } from '../receiver/lanes.ts'
import { judgeWhole, weakClasses } from './judge-broken.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
const drawn = Math.abs(Number(seed))
/** Of the classes, one of each of so many is tried where it is not all of all. */
const classesTried = 4

/** All in a proof, and else one of each of a few classes by the seed. */
function sampleOf(all: readonly BrokenReceiver[]): readonly BrokenReceiver[] {
  if (whole) return all
  return Array.from({ length: classesTried }, (_, turn) => {
    const group = faultClasses[(drawn + turn) % faultClasses.length]
    const own = all.filter((one) => one.group === group)
    return own[(drawn + turn * 7) % own.length] ?? assert.fail(group)
  })
}

describe('the power of a whole run of the receiver suite', () => {
  it('finds broken receivers of every class as it is by default', async () => {
    const tried = sampleOf(brokenReceivers)
    const found = new Set<string>()
    await inLanes(tried, 2, async (receiver) => {
      for (let tries = 1; tries <= 2; tries++) {
        const { run, named } = await judgeWhole(receiver)
        const { passed, failed, notJudged, leftOut, seconds, seed } = run
        const what = `${receiver.group}: ${receiver.name}: ${named?.verdict} ${named?.name}`
        console.log(
          `${what}; ${passed} passed, ${failed} failed, ${notJudged} not judged, ${leftOut} left out, ${seconds} s, seed ${seed}`,
        )
        if (named?.verdict === 'failed' && run.unusable === null && named.histories > 0)
          found.add(receiver.name)
        // A machine that was too busy for the whole of it gets a second try.
        if (found.has(receiver.name) || named?.leftOut === 0) return
      }
    })
    assert.deepEqual(weakClasses(tried, found), [])
  })
})
