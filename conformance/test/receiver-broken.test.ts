import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brokenReceivers, startPlainReceiver } from '@countersign/conformance/broken'
import { properties, runReceiverSuite, textReport } from '@countersign/conformance/receiver'
import { signing, verifying } from './receiver-targets.ts'

/** Nothing of a broken receiver may take the time that is left to a sound one on a busy machine. */
const hurried = { deadlineMs: 1_500, settleMs: 1_500, shrinkMs: 6_000 } as const

describe('broken receivers', () => {
  it('are there for every property', () => {
    const killing = new Set(brokenReceivers.map(({ killedBy }) => killedBy))
    assert.deepEqual(
      properties.map(({ name }) => name).filter((name) => !killing.has(name)),
      [],
    )
    assert.equal(new Set(properties.map(({ name }) => name)).size, properties.length)
  })

  describe('each fails by its property: it', { concurrency: 4 }, () => {
    for (const { name, killedBy, change } of brokenReceivers)
      it(`${name}, by ${killedBy}`, async () => {
        const running = await startPlainReceiver(verifying, change())
        try {
          const { url, probe } = running
          const only = [killedBy]
          const report = await runReceiverSuite({ ...signing, ...hurried, url, probe, only })
          assert.equal(report.unusable, null)
          const [found] = report.properties
          assert.ok(found?.verdict === 'failed', textReport(report))
          assert.ok(found.failure.transcript.length > 0)
          // How many make a receiver late depends on the machine.
          if (killedBy !== 'acknowledgement.burst')
            assert.ok(found.failure.deliveries <= 5, textReport(report))
        } finally {
          await running.close()
        }
      })
  })
})
