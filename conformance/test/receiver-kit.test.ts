import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { properties, runReceiverSuite, textReport } from '@countersign/conformance/receiver'
import { hosts, signing, startKit } from './receiver-targets.ts'

const figures = (name: string, report: Awaited<ReturnType<typeof runReceiverSuite>>) =>
  console.log(
    `${name}: ${report.histories} histories, ${report.deliveries} deliveries, ${report.seconds} s, burst p99 ${report.burst?.p99} ms, seed ${report.seed}`,
  )

describe('the kit passes the receiver suite', () => {
  for (const [name, host] of Object.entries(hosts))
    it(`behind ${name}`, async () => {
      const running = await startKit(host)
      try {
        const { url, probe } = running
        const before = process.cpuUsage()
        const report = await runReceiverSuite({ ...signing, url, probe, runs: 25 })
        figures(name, report)
        assert.equal(report.passed, properties.length, textReport(report))
        assert.ok(report.histories >= 1_000, `${report.histories} histories`)
        // Of the processor, suite and receiver together: on a busy machine the clock measures the neighbours.
        const { user, system } = process.cpuUsage(before)
        assert.ok((user + system) / 1e6 < 60, `${report.seconds} s`)
      } finally {
        await running.close()
      }
    })
})
