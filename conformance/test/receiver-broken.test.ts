import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { type BrokenReceiver, brokenReceivers, faultClasses } from '@countersign/conformance/broken'
import { properties } from '@countersign/conformance/receiver'
import { restarts } from '../broken/faults/restarts.ts'
import { judgeBroken } from './judge-broken.ts'

/** Longer than a few refusals take. */
const slowMs = 20

/** One for each property; all of them are judged by `npm run test:long`. */
const sample: ReadonlyMap<string, BrokenReceiver> = new Map(
  [...brokenReceivers].reverse().map((one) => [one.killedBy, one]),
)

describe('broken receivers', () => {
  it('are there for every property, and for every class of faults', () => {
    assert.deepEqual(
      properties.map(({ name }) => name).filter((name) => !sample.has(name)),
      [],
    )
    assert.equal(new Set(properties.map(({ name }) => name)).size, properties.length)
    const groups = new Set(brokenReceivers.map(({ group }) => group))
    assert.deepEqual(new Set(faultClasses), groups)
    assert.equal(new Set(brokenReceivers.map(({ name }) => name)).size, brokenReceivers.length)
    assert.ok(brokenReceivers.length >= 150, `${brokenReceivers.length}`)
  })

  it('have a row in the README that tells what can’t be seen of their class', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
    const table = readme.split("### What it can't see")[1] ?? ''
    for (const group of faultClasses) assert.ok(table.includes(`\n| ${group} | `), group)
    const how = readme.split('### How a receiver keeps these promises')[1] ?? ''
    for (const { name } of properties) {
      const [group = ''] = name.split('.')
      assert.ok(how.includes(`\n| \`${group}\` | `), group)
    }
  })

  it('fail by what they do with a known case, however late an event has its effect', async () => {
    const receiver = brokenReceivers.find(({ name }) => name.includes('cases that it knows'))
    assert.ok(receiver)
    const found = await judgeBroken(receiver, { delayMs: slowMs })
    assert.equal(found.verdict, 'failed', JSON.stringify(found, null, 2))
  })

  it('fail by what they make of a kept connection, however little is drawn', async () => {
    const receiver = brokenReceivers.find(({ name }) => name.startsWith('trusts a connection'))
    assert.ok(receiver)
    for (let tries = 0; tries < 5; tries++) {
      const found = await judgeBroken(receiver, { runs: 1 })
      assert.equal(found.verdict, 'failed', JSON.stringify(found, null, 2))
    }
  })

  it('fail by the first kill where they act up to two seconds after the answer: slow, they see few', async () => {
    const putOff = restarts.filter(
      // What takes less than lies between two moments may be missed by the first kill.
      ({ killedBy, name }) =>
        killedBy === 'acknowledgement.survives-kill' && !name.includes('for 200 ms'),
    )
    assert.ok(putOff.length >= 7)
    await Promise.all(
      putOff.map(async (receiver) => {
        const found = await judgeBroken(receiver)
        assert.equal(found.verdict, 'failed', JSON.stringify(found, null, 2))
        assert.equal(found.histories, 1, receiver.name)
      }),
    )
  })

  describe('each fails by its property: it', { concurrency: 4 }, () => {
    for (const receiver of sample.values())
      it(`${receiver.name}, by ${receiver.killedBy}`, async () => {
        const found = await judgeBroken(receiver)
        assert.equal(found.verdict, 'failed', JSON.stringify(found, null, 2))
        assert.ok(found.verdict === 'failed' && found.failure.transcript.length > 0)
      })
  })
})
