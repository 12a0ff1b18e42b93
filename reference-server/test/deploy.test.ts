import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { settings } from '../config.ts'
import { secretSettings } from '../secret-files.ts'

const home = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(home, path), 'utf8')

/** What the server takes from its environment. */
const known = new Set([
  ...Object.keys(settings.shape),
  ...[...secretSettings].map((name) => `${name}_FILE`),
])

test('files of a deployment name settings that there are, and secrets by their files alone', () => {
  const files = ['Dockerfile', ...readdirSync(join(home, 'deploy')).map((name) => `deploy/${name}`)]
  for (const file of files) {
    const named = [...read(file).matchAll(/\b(COUNTERSIGN_[A-Z_]+)(?=[=:])/g)].map(
      ([, name = '']) => name,
    )
    for (const name of named) {
      assert.ok(known.has(name), `${file}: ${name}`)
      assert.ok(!secretSettings.has(name), `${file}: ${name} in clear`)
    }
  }
  for (const file of ['deploy/compose.yaml', 'deploy/countersign.service'])
    for (const name of ['MASTER_KEY_FILE', 'SESSION_SECRET_FILE', 'INGEST_URL', 'PORTAL_URL'])
      assert.match(read(file), new RegExp(`COUNTERSIGN_${name}[=:]`), file)
})

/** How the health check ends under these settings, and what it tells. */
async function checked(environment: Readonly<Record<string, string>>) {
  const check = spawn(process.execPath, [join(home, 'healthcheck.mjs')], {
    env: environment,
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  const [told, [code]] = await Promise.all([text(check.stderr), once(check, 'exit')])
  return { code, told }
}

test('the health check asks the staff listener of the settings, and fails as it does', async () => {
  let status = 200
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(request.url)
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const environment = {
    COUNTERSIGN_STAFF_HOST: '127.0.0.1',
    COUNTERSIGN_STAFF_PORT: String((server.address() as AddressInfo).port),
  }
  assert.deepEqual(await checked(environment), { code: 0, told: '' })
  status = 503
  const lags = await checked(environment)
  assert.equal(lags.code, 1)
  assert.match(lags.told, /answered 503/)
  assert.deepEqual(asked, ['/livez', '/livez'])
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
  const away = await checked(environment)
  assert.equal(away.code, 1)
  assert.match(away.told, /ECONNREFUSED/)
})
