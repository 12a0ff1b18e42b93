import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type BrokenReceiver, brokenReceivers, faultClasses } from '@countersign/conformance/broken'
import { inLanes } from '../receiver/lanes.ts'
import { isOutOfTime } from '../receiver/report.ts'
import { judgeWhole, weakClasses } from './judge-broken.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env

/** All in a proof, and else one of each class by the seed. */
const sampleOf = (all: readonly BrokenReceiver[]): readonly BrokenReceiver[] =>
  faultClasses.flatMap((group, turn) => {
    const own = all.filter((one) => one.group === group)
    const at = (Math.abs(Number(seed)) + turn * 7) % own.length
    return whole ? own : (own[at] ?? assert.fail(group))
  })

describe('the power of a whole run of the receiver suite', () => {
  it('passes none of every class as it is by default', async () => {
    const tried = sampleOf(brokenReceivers)
    /** Those that failed, or whose run had no time for the property and so is no pass (status 3). */
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
        // Those that act long after their answer need more time than a run has by default, and are told so.
        if (tries === 2 && named && isOutOfTime(named)) found.add(receiver.name)
      }
    })
    assert.deepEqual(weakClasses(tried, found), [])
  })
})
