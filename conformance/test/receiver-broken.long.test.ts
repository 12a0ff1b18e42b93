import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type BrokenReceiver,
  brokenReceivers,
  faultClasses,
  startPlainReceiver,
} from '@countersign/conformance/broken'
import { properties, runReceiverSuite } from '@countersign/conformance/receiver'
import { createSchedule } from '../receiver/budget.ts'
import { inLanes } from '../receiver/lanes.ts'
import { judgeBroken, judgeWhole } from './judge-broken.ts'
import { signing, verifying } from './receiver-targets.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
const leastShare = 0.98
/** Those of a run by default. */
const [budgetMs, lanes] = [60_000, 4]
/** Less than 1 on a quiet machine; neighbours cost caches too. */
const busyFactor = 4
const schedule = createSchedule(properties, { budgetMs, lanes })

/** What a property has of a whole run for itself, should those beside it take as much of the machine as it. */
function sliceOf(name: string): number {
  const property = properties.find((one) => one.name === name) ?? assert.fail(name)
  return schedule.promisedMs(property) / (property.alone ? 1 : lanes)
}

/** As text, without what is new in every run. */
const timeless = (history: unknown): string =>
  JSON.stringify(history)
    .replaceAll(/"(time|timestamp|\w+At|caseUrl)":"[^"]+"/g, '')
    .replaceAll(/(evt|rc|wh)_\w{26}/g, '$1')

/** All in a proof, and else one of each class by the seed. */
const sampleOf = (all: readonly BrokenReceiver[]): readonly BrokenReceiver[] =>
  faultClasses.flatMap((group, turn) => {
    const own = all.filter((one) => one.group === group)
    const at = (Math.abs(Number(seed)) + turn * 7) % own.length
    return whole ? own : (own[at] ?? assert.fail(group))
  })

/** Tells each class in a line; those of which less than 98 of 100 were found. */
function weakClasses(tried: readonly BrokenReceiver[], found: ReadonlySet<string>) {
  return faultClasses.flatMap((group) => {
    const all = tried.filter((one) => one.group === group)
    const missed = all.flatMap(({ name }) => (found.has(name) ? [] : name))
    const told = `${group}: ${all.length - missed.length} of ${all.length} ${missed.join('; ')}`
    console.log(told)
    return all.length - missed.length >= leastShare * all.length ? [] : [told]
  })
}

describe('the power of the receiver suite', () => {
  // Together these say that what is found alone is found in a whole run: the same histories in the same order, in less
  // time than such a run promises.
  it('plays of each property alone what a whole run plays of it, within its slice of that', async () => {
    const running = await startPlainReceiver(verifying)
    try {
      const play = async (seed: number, only?: readonly string[]) => {
        const histories = new Map<string, string[]>()
        let begun: NodeJS.CpuUsage | undefined
        const report = await runReceiverSuite({
          ...{ ...signing, url: running.url, probe: running.probe, seed, budgetMs: 300_000, only },
          onHistory(name, history) {
            begun ??= process.cpuUsage()
            const own = histories.get(name) ?? []
            histories.set(name, [...own, timeless(history)])
          },
        })
        assert.deepEqual([report.failed, report.leftOut], [0, 0])
        const { user, system } = process.cpuUsage(begun)
        return { histories, cpuMs: (user + system) / 1000 }
      }
      const whole = await play(10)
      assert.equal(whole.histories.size, properties.length)
      const shares: (readonly [number, string])[] = []
      for (const { name } of properties) {
        const own = await play(10, [name])
        assert.deepEqual(own.histories.get(name), whole.histories.get(name), name)
        // Of the processor: the clock on the wall would tell of the machine's other work.
        shares.push([own.cpuMs / sliceOf(name), name])
      }
      const [most] = shares.sort(([a], [b]) => b - a)
      console.log(`of its slice ${most?.[1]} takes most, ${most?.[0].toFixed(2)}`)
      assert.ok(most !== undefined && most[0] < busyFactor, JSON.stringify(shares.slice(0, 5)))
      const other = await play(11, ['ordering.head'])
      assert.notDeepEqual(
        other.histories.get('ordering.head'),
        whole.histories.get('ordering.head'),
      )
    } finally {
      await running.close()
    }
  })

  it('finds 98 of 100 broken receivers of every class by the property that is named', async () => {
    const found = new Set<string>()
    await inLanes(brokenReceivers, 3, async (receiver) => {
      if ((await judgeBroken(receiver)).verdict === 'failed') found.add(receiver.name)
    })
    console.log(`all classes: ${found.size} of ${brokenReceivers.length}`)
    assert.deepEqual(weakClasses(brokenReceivers, found), [])
    assert.ok(found.size >= leastShare * brokenReceivers.length, `${found.size}`)
  })

  it('finds them in a whole run as it is by default', async () => {
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
