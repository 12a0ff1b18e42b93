import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { checks, openServerSuite } from '@countersign/conformance/server'
import { type Host, routes } from '@countersign/koa'
import { checkedOperations } from './checked-operations.ts'
import { failures, type JudgedServer, startJudged } from './judged-server.ts'
import { scratchDirectory } from './processes/scratch.ts'
import type { Stage } from './processes/stage.ts'
import { openRelay, type Spoiler } from './relay.ts'

describe('the conformance suite for servers', () => {
  const directory = scratchDirectory()
  let stage: Stage
  let target: JudgedServer['target']

  before(async () => {
    ;({ stage, target } = await startJudged(directory))
  })
  after(() => stage.end())

  it('uses each operation in the check that is named for it, and is granted it', async () => {
    const granted = new Set<string>()
    const noting = (host: Host): Spoiler => ({
      reply: ({ status }, { method, path }) => {
        const [pathname = ''] = path.split('?')
        if (status === 200 || status === 202) granted.add(`${host} ${method} ${pathname}`)
      },
    })
    const ca = readFileSync(stage.setup.caFile, 'utf8')
    const open = async (host: Host, to: string) => {
      const relay = await openRelay({ to, ca })
      relay.spoiler = noting(host)
      return relay
    }
    const ingest = await open('ingest', target.ingest)
    const portal = await open('portal', target.portal)
    const staff = await open('staff', target.staff.url)
    const suite = await openServerSuite({
      ...target,
      ingest: ingest.url,
      portal: portal.url,
      staff: { ...target.staff, url: staff.url },
    })
    const formOf = new Map(
      routes.map(({ host, name, method, path }) => [
        `${host} ${name}`,
        new RegExp(`^${host} ${method} ${path.replaceAll(/:\w+/g, '[^/]+')}$`),
      ]),
    )
    const named = new Set(Object.values(checkedOperations))
    const unused: string[] = []
    try {
      // In the order of the suite, whose clock only goes forward.
      for (const { name: check } of checks.filter(({ name }) => named.has(name))) {
        granted.clear()
        const wrong = failures(await suite.run({ only: [check] }))
        // Its addresses are those of the relays, so that the URL of a case is not what the target says.
        if (check !== 'cases.open') assert.deepEqual(wrong, [])
        const used = [...granted]
        for (const [operation, by] of Object.entries(checkedOperations)) {
          const form = formOf.get(operation)
          if (by === check && !used.some((one) => form?.test(one)))
            unused.push(`${operation} in ${check}`)
        }
      }
      assert.deepEqual(unused, [], 'operations that their check does not use')
    } finally {
      suite.close()
      await Promise.all([ingest, portal, staff].map((relay) => relay.close()))
    }
  })
})
