import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { composeServer } from '../compose.ts'
import { readConfig } from '../config.ts'
import { settingsOf } from './command/run-command.ts'
import { ownPorts } from './own-ports.ts'

test('a server whose database was moved away is not ready, and says why', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-readiness-'))
  const file = join(directory, 'countersign.sqlite')
  const [staffPort = 0] = await ownPorts(1)
  const server = await composeServer(
    readConfig({
      ...settingsOf(file),
      COUNTERSIGN_INGEST_PORT: '0',
      COUNTERSIGN_PORTAL_PORT: '0',
      COUNTERSIGN_STAFF_PORT: String(staffPort),
      COUNTERSIGN_LOG_LEVEL: 'silent',
    }),
  )
  await server.start()
  try {
    renameSync(file, `${file}.away`)
    const answer = await fetch(`http://127.0.0.1:${staffPort}/readyz`)
    assert.equal(answer.status, 503)
    const { ready, store } = (await answer.json()) as { ready: boolean; store: string }
    assert.equal(ready, false)
    assert.match(store, /moved away or removed/)
    renameSync(`${file}.away`, file)
  } finally {
    await server.stop()
    rmSync(directory, { recursive: true })
  }
})
