import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runReceiverSuite, textReport } from '@countersign/conformance/receiver'
import { hosts, signing, startKit } from './receiver-targets.ts'

describe('the kit passes the receiver suite', () => {
  for (const [name, host] of Object.entries(hosts))
    it(`behind ${name}`, async () => {
      const running = await startKit(host)
      try {
        const { url, probe } = running
        const report = await runReceiverSuite({
          ...signing,
          ...{ url, probe, quick: true, budgetMs: 100_000 },
        })
        console.log(`${name}: ${report.deliveries} deliveries, ${report.seconds} s`)
        assert.equal(report.failed, 0, textReport(report))
        assert.equal(report.leftOut, 0, textReport(report))
      } finally {
        await running.close()
      }
    })
})
