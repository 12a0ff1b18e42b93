import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import {
  brokenOutcomeReceivers,
  brokenSignedReceivers,
  outcomeFaultClasses,
  startOutcomeReceiver,
} from '@countersign/conformance/broken'
import { runOutcomeSuite } from '@countersign/conformance/outcome'
import { textReport } from '@countersign/conformance/receiver'
import { createOutcomeCallbackHandler, isApproved, memoryInbox } from '@countersign/receiver-kit'
import { nodeHandler } from '@countersign/receiver-kit/node'
import { secret, verifying } from './receiver-targets.ts'

const applicationId = 'app_01m3xq8v7c0h2k4n6p8r0t2w4y'
const suite = {
  keys: [secret],
  applicationId,
  quick: true,
  budgetMs: 100_000,
  deadlineMs: 5_000,
} as const
/** Some of each list, of which the long tests try all. */
const few = { runs: 1, mostCases: 3 } as const
const given = { verifyKeys: verifying.verifyKeys, applicationId }

describe('the outcome suite', () => {
  it('passes an endpoint without fault', async () => {
    const { url, probe, close } = await startOutcomeReceiver(given)
    const report = await runOutcomeSuite({ ...suite, url, probe, ...few })
    await close()
    assert.deepEqual([report.failed, report.leftOut], [0, 0], textReport(report))
    assert.ok(report.passed > 35, textReport(report))
  })

  it('passes the kit, which keeps nothing of another application', async () => {
    const inbox = memoryInbox()
    const acted: string[] = []
    const handler = createOutcomeCallbackHandler({
      keys: [secret],
      applicationId,
      inbox,
      onOutcome: ({ outcome }) => {
        if (isApproved(outcome)) acted.push(outcome.id)
      },
    })
    handler.start()
    const server = createServer(nodeHandler(handler))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const probe = {
      read: async ({ ids }: { readonly ids: readonly string[] }) => {
        const has = await inbox.has(ids)
        return {
          stored: ids.flatMap((id, at) => (has[at] ? [{ id }] : [])),
          effects: ids.flatMap((id) => {
            const count = acted.filter((one) => one === id).length
            return count > 0 ? [{ id, count }] : []
          }),
        }
      },
    }
    const report = await runOutcomeSuite({ ...suite, url, probe, ...few })
    server.closeAllConnections()
    server.close()
    await handler.stop()
    assert.equal(report.failed, 0, textReport(report))
  })

  for (const { name, killedBy, change } of brokenOutcomeReceivers)
    it(`fails an endpoint that ${name}, by ${killedBy}, however little is drawn`, async () => {
      const { url, probe, close } = await startOutcomeReceiver(given, change)
      const report = await runOutcomeSuite({
        ...suite,
        url,
        probe,
        runs: 1,
        only: [killedBy],
        resumeMs: 1_000,
      })
      await close()
      const failed = report.properties.flatMap((one) => (one.verdict === 'failed' ? [one] : []))
      const found = failed.find((one) => one.name === killedBy)
      assert.ok(found, textReport(report))
      if (killedBy.startsWith('outcome.'))
        assert.ok(found.failure.deliveries <= 6, textReport(report))
    })

  it('has 40 broken endpoints at least, of every class, which all have a row in the README', async () => {
    const all = [...brokenOutcomeReceivers, ...brokenSignedReceivers]
    assert.ok(all.length >= 40, `${all.length}`)
    assert.equal(new Set(all.map(({ name }) => name)).size, all.length)
    assert.deepEqual(new Set(all.map(({ group }) => group)), new Set(outcomeFaultClasses))
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
    const table = readme.split('## Your outcome endpoint')[1] ?? ''
    for (const group of outcomeFaultClasses) assert.ok(table.includes(`\n| ${group} | `), group)
  })

  it('is a command', async () => {
    const { main } = await import('@countersign/conformance/cli')
    const run = async (...args: string[]) => {
      const told: string[] = []
      const write = (text: string) => void told.push(text)
      const around = { env: { KEY: secret }, out: write, err: write, terminal: false }
      return { status: await main(['outcome', ...args], around), text: told.join('') }
    }
    const { url, close } = await startOutcomeReceiver(given)
    const common = ['--url', url, '--secret', 'env:KEY', '--only', 'outcome', '--quiet']
    const own = await run(...common, '--application-id', applicationId)
    assert.equal(own.status, 0, own.text)
    const other = await run(...common, '--application-id', 'app_other')
    assert.equal(other.status, 1, other.text)
    assert.match(own.text, /own-application/)
    assert.equal((await run(...common)).status, 2)
    const list = await run('--list')
    for (const name of ['outcome.only-approved', 'outcome.unsigned-approval', 'signature.altered'])
      assert.match(list.text, new RegExp(`^${name} `, 'm'))
    assert.match((await run('--help')).text, /--application-id/)
    assert.equal((await run(...common, '--application-id', 'a', '--seed', 'x')).status, 2)
    await close()
  })
})
