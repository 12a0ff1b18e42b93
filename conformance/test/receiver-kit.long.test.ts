import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { properties, runReceiverSuite, textReport } from '@countersign/conformance/receiver'
import { hosts, signing, startKit } from './receiver-targets.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
/** All in a proof, and else one by the seed, as of those beside busy processes. */
const all = Object.entries(hosts)
const tried = whole ? all : all.slice(Math.abs(Number(seed)) % all.length).slice(0, 1)

/** What is promised of each event, but for a property that is about one family. */
const ofEachEvent = /^(acknowledgement|idempotency|signature)\./
const ofOneFamily = new Set(['acknowledgement.subscription-effects'])

describe('the kit passes the whole receiver suite', () => {
  for (const [name, host] of tried)
    it(`behind ${name}`, async () => {
      const running = await startKit(host)
      try {
        const { url, probe } = running
        const report = await runReceiverSuite({ ...signing, url, probe, budgetMs: 200_000 })
        console.log(
          `${name}: ${report.histories} histories, ${report.deliveries} deliveries, ${report.seconds} s, seed ${report.seed}`,
        )
        assert.equal(report.failed, 0, textReport(report))
        assert.equal(report.properties.length, properties.length)
        const lacking = report.properties.filter(
          (one) => one.verdict === 'not judged' && one.wantOf !== 'time',
        )
        assert.deepEqual(lacking, [], 'all that the suite has is judged, but for want of time')
        const everyFamily = new Set(properties.flatMap((one) => (one.everyFamily ? one.name : [])))
        for (const { name, families } of report.properties)
          if (everyFamily.has(name) || (ofEachEvent.test(name) && !ofOneFamily.has(name)))
            for (const [family, count] of Object.entries(families))
              assert.ok(count > 0, `${name} had no event of ${family}`)
      } finally {
        await running.close()
      }
    })
})
