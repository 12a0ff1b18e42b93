import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { main } from '@countersign/conformance/cli'

/** A port of loopback where nobody listens. */
const nowhere = 'http://127.0.0.1:9'

async function run(...args: readonly string[]) {
  let out = ''
  let err = ''
  const status = await main(['server', ...args], {
    env: {},
    out: (text) => {
      out += text
    },
    err: (text) => {
      err += text
    },
    terminal: false,
  })
  return { status, out, err }
}

describe('countersign-conformance server', () => {
  /** Lets everybody log in, and knows nothing else. */
  const portal = createServer((_, response) => {
    const session = { token: 't', cookieName: 'c', member: { memberId: 'mem_1' } }
    response.end(JSON.stringify(session))
  })
  let portalUrl: string
  const members = ['--admin', 'a@x:1', '--reviewer', 'b@x:1']
  const known = [
    ...members,
    '--application',
    'app_1',
    '--application-key',
    'key',
    '--only',
    'cases.open',
  ]

  before(async () => {
    portal.listen(0, '127.0.0.1')
    await once(portal, 'listening')
    portalUrl = `http://127.0.0.1:${(portal.address() as AddressInfo).port}`
  })
  after(() => {
    portal.close()
    portal.closeAllConnections()
  })

  for (const [what, args] of [
    ['portal', () => ['--ingest', portalUrl, '--portal', nowhere]],
    ['ingest host', () => ['--ingest', nowhere, '--portal', portalUrl]],
    ['clock', () => ['--ingest', portalUrl, '--portal', portalUrl, '--clock', nowhere]],
  ] as const)
    it(`ends with 2 and names the ${what} that can't be reached`, async () => {
      const { status, out, err } = await run(...args(), ...known)
      assert.equal(status, 2, out)
      assert.match(err, /could not be judged: \w+ http:\/\/127\.0\.0\.1:9\/.* got no answer/)
    })

  it('judges a server that can be reached, however wrong', async () => {
    const { status, out } = await run('--ingest', portalUrl, '--portal', portalUrl, ...known)
    assert.equal(status, 1)
    assert.match(out, /✗ cases\.open/)
  })

  it('names the files of the reference server that serve as its arguments', async () => {
    const { out } = await run('--help')
    for (const file of ['demo.json', 'localhost.key', 'localhost.crt', 'ca/ca.crt'])
      assert.ok(out.includes(`.countersign/${file}`), file)
  })
})
