import assert from 'node:assert/strict'
import { existsSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { collections, logs, type Service } from '@countersign/core'
import { bundlePath, bundles, sessions, subjectKeys } from '@countersign/core/internal'
import { list, many } from '@countersign/core/ledger'
import { copyBlobs } from '@countersign/node'
import { backupDatabase, openSqliteStore } from '@countersign/sqlite'
import { lostBlobs } from '../../command/blobs.ts'
import { composeServer } from '../../compose.ts'
import { readConfig } from '../../config.ts'
import { scratchDirectory } from '../processes/scratch.ts'
import { isWhole, type Prepared, prepareIngest, sendSession } from './ingest-support.ts'
import { runCommand, settingsOf } from './run-command.ts'

async function withService<T>(database: string, use: (service: Service) => Promise<T>): Promise<T> {
  const environment = { ...settingsOf(database), COUNTERSIGN_LOG_LEVEL: 'silent' }
  const server = await composeServer(readConfig(environment))
  try {
    return await use(server.service)
  } finally {
    await server.stop()
  }
}

/** A directory with the database of a server that took some sessions. */
async function filled(count: number) {
  const directory = scratchDirectory()
  const database = join(directory, 'countersign.sqlite')
  const prepared = await withService(database, async (service) => {
    const made = await prepareIngest(service, 'ada@example.com')
    for (let at = 0; at < count; at++) await sendSession(service, made, at)
    return made
  })
  const command = async (...args: readonly string[]) => {
    const environment = { COUNTERSIGN_DATABASE: database }
    const { status, out, err } = await runCommand([...args, '--json'], { environment })
    return { status, err, facts: JSON.parse(out) as Readonly<Record<string, unknown>> }
  }
  const whole = (places: readonly number[]) =>
    withService(database, async (service) =>
      Promise.all(places.map((at) => isWhole(service, prepared, at))),
    )
  return { directory, database, blobs: `${database}.blobs`, prepared, command, whole }
}

async function rowsOf(database: string) {
  const store = openSqliteStore({ file: database, collections, logs })
  const [found, foundSessions] = await store.read(null, [
    list(bundles, { where: [], take: 100 }),
    list(sessions, { where: [], take: 100 }),
  ])
  const rows = many(bundles, found).map(({ row }) => row)
  return { store, rows, sessions: many(sessions, foundSessions).map(({ row }) => row) }
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

async function sendUntil(
  service: Service,
  prepared: Prepared,
  from: number,
  ended: () => boolean,
): Promise<number> {
  let at = from
  while (!ended()) await sendSession(service, prepared, at++)
  return at
}

describe('backup, restore and check', () => {
  it('bring back the content of every session that the copy has', async () => {
    const { directory, database, blobs, prepared, command, whole } = await filled(5)
    const backup = join(directory, 'backup.sqlite')
    const sent = await withService(database, async (service) => {
      let ended = false
      const load = sendUntil(service, prepared, 5, () => ended)
      const copied = await command('backup', backup)
      ended = true
      assert.deepEqual([copied.status, copied.facts.lost], [0, { count: 0, first: [] }], copied.err)
      return load
    })
    assert.ok(sent > 5, 'sessions came during the backup')
    assert.equal(statSync(`${backup}.blobs`).mode & 0o777, 0o700)
    assert.deepEqual((await lostBlobs(backup, `${backup}.blobs`)).count, 0)
    const again = await command('backup', backup)
    assert.deepEqual([again.status, again.facts.ok], [1, false])
    assert.match(again.err, /is there already/)

    // The disk is lost, and another has what the backup holds.
    for (const lost of [database, `${database}-wal`, `${database}-shm`, `${database}.mark`, blobs])
      rmSync(lost, { recursive: true, force: true })
    const restored = await command('restore', backup)
    assert.equal(restored.status, 0, restored.err)
    assert.deepEqual(restored.facts.lost, { count: 0, first: [] })
    const checked = await command('check')
    assert.deepEqual([checked.status, checked.facts.problems], [0, []], checked.err)
    const { store, rows } = await rowsOf(database)
    await store.close()
    assert.ok(rows.length >= 5)
    const came = await whole(numbers(rows.length))
    assert.ok(came.every(Boolean), `${came}`)
  })

  it('put back what was overwritten or removed since', async () => {
    const { directory, database, blobs, command, whole } = await filled(3)
    const backup = join(directory, 'backup.sqlite')
    assert.equal((await command('backup', backup)).status, 0)
    const { store, rows } = await rowsOf(database)
    await store.close()
    const [first, second] = rows.map((row) => join(blobs, `${bundlePath(row)}@`))
    assert.ok(first && second)
    rmSync(first)
    // In the place of the object, as the service writes: the name that the backup has stays as it is.
    rmSync(second)
    writeFileSync(second, Buffer.alloc(10))
    assert.equal((await command('restore', backup)).status, 0)
    assert.deepEqual(await whole([0, 1, 2]), [true, true, true])
    assert.equal((await command('check')).status, 0)
  })

  it('name blobs that are lost, and none of what was erased', async () => {
    const { directory, database, blobs, command } = await filled(4)
    assert.deepEqual((await command('check')).status, 0)
    const { store, rows, sessions: stored } = await rowsOf(database)
    const [gone, cut, erased] = rows
    assert.ok(gone && cut && erased)
    rmSync(join(blobs, `${bundlePath(gone)}@`))
    truncateSync(join(blobs, `${bundlePath(cut)}@`), 7)
    // An erasure destroys the key, removes the blob, and then changes the records.
    rmSync(join(blobs, `${bundlePath(erased)}@`))
    const { tenantId, applicationId } = erased
    const subject = stored.find(({ sessionId }) => sessionId === erased.sessionId)?.dataSubjectId
    const key = [tenantId, applicationId, subject ?? ''] as const
    const [found] = await store.read(null, [{ get: subjectKeys.name, key }])
    const version = found?.rows[0]?.version ?? 0
    await store.commit({ tenant: null, removes: [{ in: subjectKeys.name, key, version }] })
    await store.close()
    const lines = [
      `blob ${bundlePath(gone)} of session ${gone.sessionId}: missing`,
      `blob ${bundlePath(cut)} of session ${cut.sessionId}: 7 bytes of ${cut.bytes}`,
    ]
    const checked = await command('check')
    assert.deepEqual([checked.status, checked.facts.problems], [1, lines])

    // The copy is made all the same, and says what it lacks.
    const backup = join(directory, 'backup.sqlite')
    const copied = await command('backup', backup)
    assert.equal(copied.status, 1)
    assert.equal((copied.facts.lost as { readonly count: number }).count, 2)
    assert.ok(existsSync(backup))
    const left = readdirSync(directory).filter((name) => /draft|partial/.test(name))
    assert.deepEqual(left, [])
    assert.equal((await command('check', '--database', backup)).status, 1)
  })

  it('need the blobs from before the snapshot and from after it', async () => {
    const { directory, database, blobs, prepared } = await filled(1)
    const [draft, copy] = [join(directory, 'draft.sqlite'), join(directory, 'draft.blobs')]
    await copyBlobs({ from: blobs, to: copy })
    const { rows, store } = await rowsOf(database)
    await store.close()
    await withService(database, (service) => sendSession(service, prepared, 1))
    backupDatabase({ file: database, to: draft })
    const [removed] = rows
    assert.ok(removed)
    rmSync(join(blobs, `${bundlePath(removed)}@`))
    assert.equal((await lostBlobs(draft, copy)).count, 1, 'without those from after')
    assert.equal((await lostBlobs(draft, blobs)).count, 1, 'without those from before')
    await copyBlobs({ from: blobs, to: copy })
    assert.equal((await lostBlobs(draft, copy)).count, 0)
  })
})
