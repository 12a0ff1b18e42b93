import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { composeServer, type Server } from '../compose.ts'
import { readConfig } from '../config.ts'
import { receiverPage } from '../root-page.ts'
import { settingsOf } from './command/run-command.ts'
import { ownPorts } from './own-ports.ts'

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('the root page of each listener', () => {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-root-'))
  let server: Server
  const origins = { ingest: '', portal: '', staff: '' }
  before(async () => {
    const [ingest = 0, portal = 0, staff = 0] = await ownPorts(3)
    for (const [name, port] of Object.entries({ ingest, portal, staff }))
      origins[name as keyof typeof origins] = `http://127.0.0.1:${port}`
    server = await composeServer(
      readConfig({
        ...settingsOf(join(directory, 'countersign.sqlite')),
        COUNTERSIGN_PORTAL_URL: 'https://portal.example.com/a?b="><i>&c',
        COUNTERSIGN_INGEST_PORT: String(ingest),
        COUNTERSIGN_PORTAL_PORT: String(portal),
        COUNTERSIGN_STAFF_PORT: String(staff),
        COUNTERSIGN_LOG_LEVEL: 'silent',
      }),
    )
    await server.start()
  })
  after(async () => {
    await server.stop()
    rmSync(directory, { recursive: true })
  })

  for (const [name, title, paths] of [
    ['ingest', 'ingest API', ['/openapi.json']],
    ['staff', 'staff listener', ['/livez', '/readyz', '/metrics', '/api.html']],
    ['portal', 'Countersign', []],
  ] as const)
    it(`${name}: tells a browser what it is, and leads to what is there`, async () => {
      const answer = await fetch(`${origins[name]}/`, { headers: browser })
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
      assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      const text = await answer.text()
      assert.ok(text.includes(title))
      const links = [...text.matchAll(/<a href="(\/[^"]*)"/g)].map(([, path = '']) => path)
      assert.deepEqual(links, paths)
      for (const path of paths) assert.equal((await fetch(origins[name] + path)).status, 200, path)
    })

  it('the ingest listener leads to the portal, whatever its URL holds', async () => {
    const text = await (await fetch(`${origins.ingest}/`, { headers: browser })).text()
    assert.match(text, /href="https:\/\/portal\.example\.com\/a[^"<>]*"/)
    assert.doesNotMatch(text, /<i>/)
  })

  it('programs hear that nothing is there, as anywhere else', async () => {
    for (const origin of [origins.ingest, origins.staff]) {
      for (const [path, headers] of [
        ['/', { accept: 'application/json' }],
        ['/', {}],
        ['/index.html', browser],
      ] as const) {
        const answer = await fetch(origin + path, { headers })
        assert.equal(answer.status, 404)
        assert.match(answer.headers.get('content-type') ?? '', /json/)
      }
      const posted = await fetch(`${origin}/`, { method: 'POST', headers: browser })
      assert.equal(posted.status, 404)
    }
  })

  it('the demo receiver has one', () => {
    assert.match(receiverPage, /<h1>Countersign: demo receiver<\/h1>/)
  })
})
