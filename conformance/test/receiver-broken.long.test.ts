import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brokenReceivers, startPlainReceiver } from '@countersign/conformance/broken'
import { properties, runReceiverSuite } from '@countersign/conformance/receiver'
import { createSchedule } from '../receiver/budget.ts'
import { inLanes } from '../receiver/lanes.ts'
import { judgeBroken, weakClasses } from './judge-broken.ts'
import { signing, verifying } from './receiver-targets.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
/** All in a proof, and else every fourth, by the seed. */
const tried = brokenReceivers.filter((_, at) => whole || (at + Number(seed)) % 4 === 0)

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
      const all = await play(10)
      assert.equal(all.histories.size, properties.length)
      const shares: (readonly [number, string])[] = []
      for (const { name } of properties) {
        const own = await play(10, [name])
        assert.deepEqual(own.histories.get(name), all.histories.get(name), name)
        // Of the processor: the clock on the wall would tell of the machine's other work.
        shares.push([own.cpuMs / sliceOf(name), name])
      }
      const [most] = shares.sort(([a], [b]) => b - a)
      console.log(`of its slice ${most?.[1]} takes most, ${most?.[0].toFixed(2)}`)
      assert.ok(most !== undefined && most[0] < busyFactor, JSON.stringify(shares.slice(0, 5)))
      const other = await play(11, ['ordering.head'])
      assert.notDeepEqual(other.histories.get('ordering.head'), all.histories.get('ordering.head'))
    } finally {
      await running.close()
    }
  })

  it('finds 98 of 100 broken receivers of every class by the property that is named', async () => {
    const found = new Set<string>()
    await inLanes(tried, 3, async (receiver) => {
      if ((await judgeBroken(receiver)).verdict === 'failed') found.add(receiver.name)
    })
    console.log(`all classes: ${found.size} of ${tried.length}`)
    assert.deepEqual(weakClasses(tried, found), [])
  })
})
