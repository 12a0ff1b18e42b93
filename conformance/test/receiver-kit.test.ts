import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runReceiverSuite, textReport } from '@countersign/conformance/receiver'
import { hosts, signing, startKit } from './receiver-targets.ts'

/** Every host runs the whole suite in `npm run test:long`. */
const { Express: host } = hosts

describe('the kit passes the receiver suite', () => {
  it('behind Express, in its quick form', async () => {
    assert.ok(host)
    const running = await startKit(host)
    try {
      const { url, probe } = running
      const report = await runReceiverSuite({
        ...signing,
        ...{ url, probe, quick: true, budgetMs: 100_000 },
      })
      console.log(`Express: ${report.deliveries} deliveries, ${report.seconds} s`)
      assert.equal(report.failed, 0, textReport(report))
    } finally {
      await running.close()
    }
  })
})
