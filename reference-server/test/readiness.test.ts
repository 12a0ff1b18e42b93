import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createManualClock } from '@countersign/core/testing'
import { composeServer } from '../compose.ts'
import { readConfig } from '../config.ts'
import { createReadiness } from '../readiness.ts'
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

/** A store whose probe is answered by hand. */
function scripted() {
  const clock = createManualClock(0)
  const probes: PromiseWithResolvers[] = []
  const state = { count: 0, holder: null as string | null }
  const readiness = createReadiness(
    {
      probe: () =>
        new Promise<void>((resolve, reject) => {
          probes.push({ resolve, reject })
        }),
      failures: () => ({ count: state.count, last: new Error('a page could not be read') }),
      waitsFor: () => state.holder,
    },
    clock,
  )
  return { clock, probes, state, readiness }
}

interface PromiseWithResolvers {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

test('readiness is answered while a probe waits for a lock, says for whom, and asks no second one', async () => {
  const { clock, probes, state, readiness } = scripted()
  state.holder = 'process 7 (sh) holds the write lock of a.sqlite, and is stopped'
  for (let times = 0; times < 5; times++) {
    const asked = readiness()
    await clock.advance(900)
    assert.match(await asked, /^waiting: .*process 7 \(sh\) holds the write lock/)
    await clock.advance(100)
  }
  assert.equal(probes.length, 1)
  probes[0]?.resolve()
  await clock.advance(1_000)
  const after = readiness()
  probes[1]?.resolve()
  assert.equal(await after, 'ok')
  await clock.advance(1_000)
  const refused = readiness()
  probes[2]?.reject(new Error('the disk is full'))
  assert.equal(await refused, 'failed: the disk is full')
})

test('a read of the store that the system failed keeps it from being ready for 10 s', async () => {
  const { clock, probes, state, readiness } = scripted()
  const ask = async () => {
    const asked = readiness()
    for (const { resolve } of probes) resolve()
    return asked
  }
  assert.equal(await ask(), 'ok')
  state.count = 3
  for (let second = 0; second < 10; second++) {
    assert.match(await ask(), /^failed: .*3 since the start; the last: a page could not be read$/)
    await clock.advance(1_000)
  }
  assert.equal(await ask(), 'ok')
  state.count = 4
  assert.match(await ask(), /4 since the start/)
})
