import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import { after, before, describe, it } from 'node:test'
import { type Client, must } from '../../demo/client.ts'
import { until } from '../../demo/processes.ts'
import { openingOf } from '../processes/stage.ts'
import { logIn, openVictim, type Victim } from './harness.ts'
import { type Readers, readersOf, withstandsIdleReaders } from './readers.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env

const mebibyte = 1024 * 1024
/** Of an endpoint's answer, more than the log keeps of one. */
const answer = 'x'.repeat(64 * 1024)
const cases = 150
const readers = 200
const mostWebhooks = 100
/** As many as the list still shows, beside those that are active. */
const revokedKeys = 100

describe('delivery logs, webhooks and keys, as many as there may be', () => {
  let victim: Victim
  let reading: Readers
  let receiver: Server
  /** Of another organization. */
  let another: Client
  let [log, keys] = ['', '']

  before(async () => {
    victim = await openVictim()
    reading = readersOf(victim)
    const { admin, server, stage } = victim
    another = (await logIn(stage, server, stage.stranger)).client
    const { files, ports, origins } = stage.setup
    const tls = { key: readFileSync(files.tlsKey), cert: readFileSync(files.tlsCert) }
    let delivered = 0
    receiver = createServer(tls, (request, response) => {
      request.resume().once('end', () => {
        if (request.url === '/logged') delivered++
        // Answers of other endpoints would take of what the log keeps of the organization.
        response.end(request.url === '/logged' ? answer : '')
      })
    })
    await new Promise<void>((resolve) => receiver.listen(ports.receiver, '127.0.0.1', resolve))

    const hook = { url: `${origins.receiver}/logged`, eventTypes: ['review.case.created'] }
    const { id } = await must(admin.ask('POST', '/v1/webhooks', hook))
    log = `/v1/webhooks/${id}/delivery-logs`
    for (let n = 0; n < cases; n++)
      await must(server.application.ask('POST', '/v1/review-cases', openingOf(`logged-${n}`)))
    await until('the deliveries', 60_000, async () => delivered > cases)

    // One is there from the start.
    for (let at = 2; at < mostWebhooks; at++) {
      const url = `${origins.receiver}/${at}/${'x'.repeat(1_900)}`
      const description = 'x'.repeat(500)
      const more = { url, description, eventTypes: ['review.case.expired'] }
      await must(admin.ask('POST', '/v1/webhooks', more))
    }
    keys = `/v1/applications/${stage.organization.applicationId}/application-keys`
    const label = { label: 'x'.repeat(100) }
    for (let made = 0; made < revokedKeys; made++) {
      const { keyId } = await must(admin.ask('POST', keys, label))
      await must(admin.ask('DELETE', `${keys}/${keyId}`))
    }
    // Until it has as many active ones as it may.
    while ((await admin.ask('POST', keys, label)).status === 200);
  })
  after(async () => {
    receiver.close()
    receiver.closeAllConnections()
    await another.close()
    await victim.end()
  })

  it('are as large as they are meant to be', async () => {
    const sizes = []
    for (const path of [log, '/v1/webhooks', keys]) sizes.push(await reading.readToEnd(path))
    process.stdout.write(`# ${sizes.join(', ')} bytes\n`)
    const [logBytes = 0, webhookBytes = 0, keyBytes = 0] = sizes
    assert.ok(logBytes > 6 * mebibyte, `the log has ${logBytes} bytes`)
    assert.ok(webhookBytes > 200 * 1024, `the webhooks have ${webhookBytes} bytes`)
    assert.ok(keyBytes > 20 * 1024, `the keys have ${keyBytes} bytes`)
  })

  const paths = [
    ['the whole delivery log', () => log],
    ['the list of webhooks', () => '/v1/webhooks'],
    ['the list of keys', () => keys],
  ] as const
  for (const [nth, [what, pathOf]] of paths.entries()) {
    it(`twenty readers of ${what} at once leave the server alive`, async () => {
      await victim.withstands(async () => {
        const stop = reading.watchLiveness()
        const sizes = await Promise.all(
          Array.from({ length: 20 }, () => reading.readToEnd(pathOf())),
        )
        assert.equal(new Set(sizes).size, 1, 'each has it whole')
        await stop()
      })
    })

    // All in a proof, and else one by the seed.
    if (!whole && (nth + Number(seed)) % 3 !== 0) continue
    it(`${readers} readers of ${what} who read nothing leave room for others`, async () => {
      const page = '/v1/review-cases?pageSize=50'
      await withstandsIdleReaders(victim, { readers, path: pathOf(), another, page })
    })
  }
})
