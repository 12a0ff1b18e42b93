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
      }
      const spoil = ({
        api = {},
        deliveries: sent = {},
      }: Omit<BrokenServer, 'name' | 'killedBy'>) => {
        portal.spoiler = staff.spoiler = api
        ingest.spoiler = {
          ...api,
          reply: (reply, message) => {
            // The URL of a case is on the host that was asked.
            reply.body = reply.body.replaceAll(target.ingest, ingest.url)
            api.reply?.(reply, message)
          },
        }
        deliveries.spoiler = sent
      }

      async function judge(some: readonly BrokenServer[], to: typeof sink): Promise<void> {
        if (some.length === 0) return
        const suite = await openServerSuite({ ...relayed, sink: to })
        try {
          const survived: string[] = []
          for (const { name, killedBy, ...faults } of some) {
            spoil(faults)
            const { checks: found } = await suite.run({ only: [killedBy] })
            if (found[0]?.verdict !== 'failed')
              survived.push(`${name}: expected ${killedBy} to fail`)
          }
          assert.deepEqual(survived, [])
          spoil({})
          const only = [...new Set(some.map(({ killedBy }) => killedBy))]
          const sane = failures(await suite.run({ only }))
          assert.deepEqual(sane, [], 'what finds the faults passes without them')
        } finally {
          suite.close()
        }
      }

      spoil({})
      try {
        await judge(
          broken.filter((each) => !each.deliveries),
          sink,
        )
        // A relay holds an answer until it is whole: only what spoils deliveries goes through it.
        await judge(
          broken.filter((each) => each.deliveries),
          { ...sink, url: deliveries.url },
        )
      } finally {
        await Promise.all([ingest, portal, staff, deliveries].map((relay) => relay.close()))
      }
    })
  })
}
