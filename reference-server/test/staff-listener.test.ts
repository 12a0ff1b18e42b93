import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
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
