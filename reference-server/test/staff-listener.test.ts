import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { composeServer } from '../compose.ts'
import { readConfig } from '../config.ts'
import { settingsOf } from './command/run-command.ts'
import { ownPorts } from './own-ports.ts'

const token = 'token-of-ada'
const tokens = `ada:${createHash('sha256').update(token).digest('hex')}`

/** The staff listener of a server with these settings, for the time of a test. */
async function staffListener(
  settings: Readonly<Record<string, string>>,
  look: (origin: string) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-staff-'))
  const [staffPort = 0] = await ownPorts(1)
  const server = await composeServer(
    readConfig({
      ...settingsOf(join(directory, 'countersign.sqlite')),
      COUNTERSIGN_INGEST_PORT: '0',
      COUNTERSIGN_PORTAL_PORT: '0',
      COUNTERSIGN_STAFF_PORT: String(staffPort),
      COUNTERSIGN_LOG_LEVEL: 'silent',
      ...settings,
    }),
  )
  await server.start()
  try {
    await look(`http://127.0.0.1:${staffPort}`)
  } finally {
    await server.stop()
    rmSync(directory, { recursive: true })
  }
}

const suspend = (origin: string, tenantId = 'ten_1', more: object = {}) =>
  fetch(`${origin}/v1/staff/tenants/${tenantId}/suspend`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ reason: 'x' }),
    ...more,
  })

test('the staff API is served beside health and metrics', () =>
  staffListener({ COUNTERSIGN_STAFF_TOKENS: tokens }, async (origin) => {
    const unknown = await suspend(origin)
    assert.equal(unknown.status, 404)
    assert.equal(((await unknown.json()) as { detail: string }).detail, 'no such organization')
    assert.equal((await suspend(origin, 'ten_1', { headers: {} })).status, 401)
    const wrong = await fetch(`${origin}/v1/staff/tenants/ten_1/suspend`)
    assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'POST'])
    for (const path of ['/openapi.json', '/livez', '/readyz', '/metrics'])
      assert.equal((await fetch(origin + path)).status, 200, path)
  }))

for (const [what, settings] of [
  ['without tokens', {}],
  ['without the role', { COUNTERSIGN_STAFF_TOKENS: tokens, COUNTERSIGN_ROLES: 'portal' }],
] as const)
  test(`there is no staff API ${what}`, () =>
    staffListener(settings, async (origin) => {
      const answer = await suspend(origin)
      assert.equal(answer.status, 404)
      assert.equal(((await answer.json()) as { detail: string }).detail, 'no such resource')
      assert.equal((await fetch(`${origin}/openapi.json`)).status, 404)
      assert.equal((await fetch(`${origin}/readyz`)).status, 200)
    }))

/** Sends a body of one-byte chunks that nobody asked for; resolves when the connection is closed. */
async function pour(origin: string, line: string): Promise<void> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  let closed = false
  socket
    .resume()
    .on('error', () => {})
    .on('close', () => {
      closed = true
    })
  await once(socket, 'connect')
  socket.write(`${line} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`)
  const piece = '1\r\n \r\n'.repeat(2_000)
  for (let sent = 0; !closed; await new Promise(setImmediate)) {
    // More than the buffers of both ends hold was read by the server.
    assert.ok(sent < 24 * 1024 * 1024, `${line}: the body is read on`)
    if (socket.writableLength > 0) continue
    socket.write(piece)
    sent += piece.length
  }
}

test('health, metrics and what is not there close the connection of a body that nobody reads', () =>
  staffListener({ COUNTERSIGN_STAFF_TOKENS: tokens }, async (origin) => {
    const paths = ['/livez', '/readyz', '/metrics', '/api.html', '/nowhere']
    for (const path of paths)
      for (const method of ['GET', 'POST']) await pour(origin, `${method} ${path}`)
  }))
