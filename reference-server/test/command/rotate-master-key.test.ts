import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { collections, logs } from '@countersign/core'
import { list } from '@countersign/core/ledger'
import type { Collection } from '@countersign/core/ports'
import { sealer } from '@countersign/node'
import { openSqliteStore } from '@countersign/sqlite'
import { composeServer } from '../../compose.ts'
import { ConfigError, readConfig } from '../../config.ts'
import { seedDemo } from '../../seed.ts'
import { scratchDirectory } from '../processes/scratch.ts'
import { runCommand, settingsOf } from './run-command.ts'

const directory = scratchDirectory()
const key = () => randomBytes(32).toString('base64')

function settings(database: string, master: string, previous = ''): Record<string, string> {
  return {
    ...settingsOf(join(directory, database)),
    COUNTERSIGN_MASTER_KEY: master,
    COUNTERSIGN_PREVIOUS_MASTER_KEYS: previous,
    COUNTERSIGN_EGRESS_ALLOWED_SUBNETS: '127.0.0.0/8,::1/128',
    COUNTERSIGN_LOG_LEVEL: 'silent',
    COUNTERSIGN_INGEST_PORT: '0',
    COUNTERSIGN_PORTAL_PORT: '0',
    COUNTERSIGN_STAFF_PORT: '0',
  }
}

const original = key()

before(async () => {
  const server = await composeServer(readConfig(settings('original.sqlite', original)))
  await seedDemo(server.service, {
    credentialsFile: join(directory, 'demo.json'),
    receiverUrl: 'https://localhost:9999',
  })
  await server.stop()
})

/** A copy of a database with an organization, sealed under `original`. */
function copied(database: string): void {
  copyFileSync(join(directory, 'original.sqlite'), join(directory, database))
}

/** How many values in the whole store lie under this key, by the header that leads each. */
async function sealedUnder(database: string, master: string): Promise<number> {
  const header = sealer({ masterKey: Buffer.from(master, 'base64') })
    .seal(new Uint8Array(), '')
    .join()
    .split(',', 9)
    .join()
  const all = collections as unknown as readonly Collection[]
  const store = openSqliteStore({ file: join(directory, database), collections: all, logs })
  const found = await store.read(
    null,
    all.map((each) => list(each, { where: [], take: 1_000 })),
  )
  await store.close()
  const count = (what: unknown): number => {
    if (what instanceof Uint8Array) return what.slice(0, 9).join() === header ? 1 : 0
    if (typeof what !== 'object' || what === null) return 0
    return Object.values(what).reduce((sum: number, member) => sum + count(member), 0)
  }
  return count(found.flatMap(({ rows }) => rows.map(({ row }) => row)))
}

describe('the master key of a database', () => {
  it('must be the one that it was sealed under: a start with another is refused', async () => {
    const [right, wrong] = [original, key()]
    copied('refused.sqlite')
    await assert.rejects(composeServer(readConfig(settings('refused.sqlite', wrong))), (error) => {
      assert.ok(error instanceof ConfigError)
      assert.match(error.message, /COUNTERSIGN_MASTER_KEY: does not open .*refused\.sqlite/)
      assert.match(error.message, /sealed under the key [0-9a-f]{16}/)
      assert.match(error.message, /COUNTERSIGN_PREVIOUS_MASTER_KEYS/)
      return true
    })
    await (await composeServer(readConfig(settings('refused.sqlite', right)))).stop()
  })

  it('is replaced by the command, after which the old one is not needed', async () => {
    const [old, next] = [original, key()]
    copied('rotated.sqlite')
    const sealed = await sealedUnder('rotated.sqlite', old)
    assert.ok(sealed > 0)
    const environment = settings('rotated.sqlite', next, old)
    const ran = await runCommand(['rotate-master-key', '--json'], { environment })
    assert.equal(ran.status, 0, ran.err)
    assert.equal(await sealedUnder('rotated.sqlite', old), 0)
    assert.equal(await sealedUnder('rotated.sqlite', next), sealed)
    const again = await runCommand(['rotate-master-key'], { environment })
    assert.match(again.out, /0 values were sealed anew/)
    assert.match(again.out, /remove COUNTERSIGN_PREVIOUS_MASTER_KEYS/)
    const without = await composeServer(readConfig(settings('rotated.sqlite', next)))
    await without.stop()
    const back = await runCommand(['rotate-master-key'], {
      environment: settings('rotated.sqlite', old),
    })
    assert.equal(back.status, 2)
    assert.match(back.err, /COUNTERSIGN_MASTER_KEY: does not open/)
  })

  it('is said to be at risk where another process has the database open', {
    skip: process.platform === 'linux' ? false : 'only Linux lists its locks',
  }, async () => {
    const [old, next] = [original, key()]
    copied('shared.sqlite')
    const script = `import { lockDatabase } from '@countersign/sqlite'
      lockDatabase(process.argv[1], 'shared'); process.send('held'); process.on('disconnect', () => process.exit())`
    const child = spawn(
      process.execPath,
      ['--input-type=module', '-e', script, join(directory, 'shared.sqlite')],
      { cwd: import.meta.dirname, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
    )
    try {
      await once(child, 'message')
      const environment = settings('shared.sqlite', next, old)
      const beside = await runCommand(['rotate-master-key'], { environment })
      assert.equal(beside.status, 0, beside.err)
      const told = `process ${child.pid} has the database open: one that was started with the old key alone`
      assert.ok(beside.out.includes(told), beside.out)
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
      const alone = await runCommand(['rotate-master-key'], { environment })
      assert.doesNotMatch(alone.out, /has the database open/)
    } finally {
      child.kill('SIGKILL')
    }
  })

  it('is replaced by a server that runs', async () => {
    const [old, next] = [original, key()]
    copied('beside.sqlite')
    const server = await composeServer(readConfig(settings('beside.sqlite', next, old)))
    await server.start()
    for (let state = ''; state !== 'current'; ) ({ state } = await server.service.masterKey.check())
    await server.stop()
    await (await composeServer(readConfig(settings('beside.sqlite', next)))).stop()
  })
})
