import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brokenReceivers, faultClasses, startPlainReceiver } from '@countersign/conformance/broken'
import { runReceiverSuite } from '@countersign/conformance/receiver'
import { judgeBroken } from './judge-broken.ts'
import { signing, verifying } from './receiver-targets.ts'

const leastShare = 0.95

describe('the power of the receiver suite', () => {
  it('finds 95 of 100 broken receivers of every class by the property that is named', async () => {
    const found = new Map<string, boolean>()
    const queue = [...brokenReceivers]
    const lane = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift())
        found.set(next.name, (await judgeBroken(next)).verdict === 'failed')
    }
    await Promise.all([lane(), lane(), lane()])
    for (const group of faultClasses) {
      const all = brokenReceivers.filter((one) => one.group === group)
      const escaped = all.filter(({ name }) => !found.get(name)).map(({ name }) => name)
      console.log(
        `${group}: ${all.length - escaped.length} of ${all.length}${escaped.map((name) => `; not found: ${name}`).join('')}`,
      )
      assert.ok(
        escaped.length <= Math.ceil(all.length * (1 - leastShare)),
        `${group}: not found: ${escaped.join('; ')}`,
      )
    }
    const share = [...found.values()].filter(Boolean).length / brokenReceivers.length
    assert.ok(share >= leastShare, `${share}`)
  })

  it('finds them in a whole run of the default budget too', async () => {
    for (const group of ['circumstances', 'forgetting', 'order arithmetic', 'restart']) {
      const receiver = brokenReceivers.find((one) => one.group === group)
      assert.ok(receiver)
      const running = await startPlainReceiver(verifying, receiver.change())
      try {
        const { url, probe } = running
        const report = await runReceiverSuite({ ...signing, url, probe, resumeMs: 10_000 })
        const verdict = report.properties.find(({ name }) => name === receiver.killedBy)?.verdict
        assert.equal(verdict, 'failed', `${receiver.name}, seed ${report.seed}`)
        assert.ok(report.seconds < 90, `${receiver.name}: ${report.seconds} s`)
      } finally {
        await running.close()
      }
    }
  })
})
