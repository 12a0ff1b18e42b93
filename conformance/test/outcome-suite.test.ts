import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { brokenOutcomeReceivers, startOutcomeReceiver } from '@countersign/conformance/broken'
import { runOutcomeSuite } from '@countersign/conformance/outcome'
import { textReport } from '@countersign/conformance/receiver'
import { createOutcomeCallbackHandler, memoryInbox } from '@countersign/receiver-kit'
import { nodeHandler } from '@countersign/receiver-kit/node'
import { secret, verifying } from './receiver-targets.ts'

const applicationId = 'app_01m3xq8v7c0h2k4n6p8r0t2w4y'
const suite = { keys: [secret], applicationId, deadlineMs: 5_000 } as const
const given = { verifyKeys: verifying.verifyKeys, applicationId }

describe('the outcome suite', () => {
  it('passes an endpoint without fault', async () => {
    const { url, probe, close } = await startOutcomeReceiver(given)
    const report = await runOutcomeSuite({ ...suite, url, probe })
    await close()
    assert.equal(report.failed, 0, textReport(report))
  })

  it('passes the kit, which keeps nothing of another application', async () => {
    const inbox = memoryInbox()
    const handler = createOutcomeCallbackHandler({
      keys: [secret],
      applicationId,
      inbox,
      onOutcome: () => {},
    })
    const server = createServer(nodeHandler(handler))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const probe = {
      read: async ({ ids }: { readonly ids: readonly string[] }) => {
        const has = await inbox.has(ids)
        return { stored: ids.flatMap((id, at) => (has[at] ? [{ id }] : [])) }
      },
    }
    const report = await runOutcomeSuite({ ...suite, url, probe })
    server.closeAllConnections()
    server.close()
    assert.equal(report.failed, 0, textReport(report))
  })

  for (const { name, killedBy, change } of brokenOutcomeReceivers)
    it(`fails an endpoint that ${name}, by ${killedBy}, however little is drawn`, async () => {
      const { url, probe, close } = await startOutcomeReceiver(given, change)
      const report = await runOutcomeSuite({ ...suite, url, probe, runs: 1 })
      await close()
      const failed = report.properties.flatMap((one) => (one.verdict === 'failed' ? [one] : []))
      const found = failed.find((one) => one.name === killedBy)
      assert.ok(found, textReport(report))
      assert.ok(found.failure.deliveries <= 2, textReport(report))
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
    const common = ['--url', url, '--secret', 'env:KEY', '--runs', '5']
    const own = await run(...common, '--application-id', applicationId)
    assert.equal(own.status, 0, own.text)
    const other = await run(...common, '--application-id', 'app_other')
    assert.equal(other.status, 1, other.text)
    assert.equal((await run(...common)).status, 2)
    assert.equal((await run(...common, '--application-id', 'a', '--seed', 'x')).status, 2)
    await close()
  })
})
