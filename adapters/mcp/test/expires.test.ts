import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { main } from './programs.ts'

const gateway = (...given: readonly string[]) => [
  ...[main, 'gateway', '--server', 'files', ...given, '--'],
  ...[process.execPath, '-e', 'process.stdin.resume()'],
]
const environment = (port: number) => ({
  PATH: process.env.PATH,
  COUNTERSIGN_INGEST_URL: `http://127.0.0.1:${port}`,
  SERVICE_API_KEY: 'svc_app_k',
})

/** The opening that the gateway, with these words, sends for a call; the service opens nothing. */
async function openingOf(...given: readonly string[]): Promise<object> {
  const code = (request: IncomingMessage) => (request.method === 'GET' ? 'not_found' : 'forbidden')
  const service = createServer((request, answer) => {
    const type = `urn:countersign:error:${code(request)}`
    answer.writeHead(request.method === 'GET' ? 404 : 403, { 'content-type': 'application/json' })
    answer.end(JSON.stringify({ type, detail: 'no' }))
  })
  const opened = new Promise<object>((resolve) => {
    service.on('request', (request: IncomingMessage) => {
      if (request.method === 'POST') resolve(json(request) as Promise<object>)
    })
  })
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  const { port } = service.address() as AddressInfo
  const program = spawn(process.execPath, gateway(...given), { env: environment(port) })
  const params = { name: 'write', arguments: {} }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  program.stdin.write(`${JSON.stringify(call)}\n`)
  const opening = await opened
  program.stdin.end()
  await once(program, 'exit')
  service.close()
  return opening
}

describe('countersign-mcp gateway --expires', () => {
  it('asks until so many seconds later, and until the tier says without it', async () => {
    const before = Date.now()
    const { expiresAt } = (await openingOf('--expires', '90')) as { readonly expiresAt: string }
    const expiresMs = Date.parse(expiresAt)
    assert.ok(expiresMs >= before + 90_000 && expiresMs <= Date.now() + 90_000, expiresAt)
    assert.ok(!('expiresAt' in (await openingOf())))
  })

  it('is refused where it is no time, or longer than the service takes', () => {
    for (const seconds of ['', 'soon', '31622401']) {
      const env = environment(1)
      const words = gateway(`--expires=${seconds}`)
      const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', env })
      assert.equal(status, 2)
      assert.match(stderr, /^countersign-mcp: --expires: expected seconds/)
    }
    // The program that asks knows deadlines of tiers alone.
    const words = [main, '--expires', '90']
    const { status } = spawnSync(process.execPath, words, { env: environment(1) })
    assert.equal(status, 2)
  })
})
