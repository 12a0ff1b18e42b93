import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { openServerSuite } from '@countersign/conformance/server'
import type { BrokenServer } from './broken-server.ts'
import { failures, type JudgedServer, startJudged } from './judged-server.ts'
import { scratchDirectory } from './processes/scratch.ts'
import type { Stage } from './processes/stage.ts'
import { openRelay } from './relay.ts'

/** Defines the test that the suite finds each of these faults and, without them, passes the same checks. */
export function testBrokenServers(broken: readonly BrokenServer[]): void {
  describe('the conformance suite for servers', () => {
    const directory = scratchDirectory()
    let stage: Stage
    let target: JudgedServer['target']

    before(async () => {
      ;({ stage, target } = await startJudged(directory))
    })
    after(() => stage.end())

    it('finds what is wrong with a broken server', async () => {
      const { sink, ...sound } = target
      const ca = readFileSync(stage.setup.caFile, 'utf8')
      const [ingest, portal, staff, deliveries] = await Promise.all([
        openRelay({ to: target.ingest, ca }),
        openRelay({ to: target.portal, ca }),
        openRelay({ to: target.staff.url, ca }),
        openRelay({ to: sink.url, ca, tls: sink }),
      ])
      const relayed = {
        ...sound,
        ingest: ingest.url,
        portal: portal.url,
        staff: { ...target.staff, url: staff.url },
        sink: { ...sink, url: deliveries.url },
      }
      const suite = await openServerSuite(relayed)
      try {
        const survived: string[] = []
        for (const { name, killedBy, api = {}, deliveries: sent = {} } of broken) {
          ingest.spoiler = portal.spoiler = staff.spoiler = api
          deliveries.spoiler = sent
          const { checks: found } = await suite.run({ only: [killedBy] })
          if (found[0]?.verdict !== 'failed') survived.push(`${name}: expected ${killedBy} to fail`)
        }
        assert.deepEqual(survived, [])
        ingest.spoiler = portal.spoiler = staff.spoiler = deliveries.spoiler = {}
        const only = [...new Set(broken.map(({ killedBy }) => killedBy))]
        const sane = failures(await suite.run({ only }))
        assert.deepEqual(sane, [], 'what finds the faults passes without them')
      } finally {
        suite.close()
        await Promise.all([ingest, portal, staff, deliveries].map((relay) => relay.close()))
      }
    })
  })
}
