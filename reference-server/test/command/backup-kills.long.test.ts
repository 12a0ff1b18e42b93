import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { lostBlobs } from '../../command/blobs.ts'
import { composeServer } from '../../compose.ts'
import { readConfig } from '../../config.ts'
import { scratchDirectory } from '../processes/scratch.ts'
import { prepareIngest, sendSession } from './ingest-support.ts'
import { startCommand } from './restore-support.ts'
import { runCommand, settingsOf } from './run-command.ts'

const sessions = 4

it('a backup that is killed at any step has no name, or is whole, and is begun anew', async () => {
  const directory = scratchDirectory()
  const database = join(directory, 'countersign.sqlite')
  const environment = { ...settingsOf(database), COUNTERSIGN_LOG_LEVEL: 'silent' }
  const server = await composeServer(readConfig(environment))
  const prepared = await prepareIngest(server.service, 'ada@example.com')
  for (let at = 0; at < sessions; at++) await sendSession(server.service, prepared, at)
  await server.stop()

  const to = join(directory, 'backup.sqlite')
  const isWhole = async () => {
    assert.equal((await lostBlobs(to, `${to}.blobs`)).count, 0)
    const { status, out } = await runCommand(['check', '--database', to])
    assert.equal(status, 0, out)
  }
  const removeAll = () => {
    for (const name of readdirSync(directory))
      if (name.startsWith('backup.sqlite')) rmSync(join(directory, name), { recursive: true })
  }
  let killed = 0
  for (let at = 1; ; at++) {
    const process = startCommand(['backup', to, '--database', database], { KILL_AT: String(at) })
    const [status, signal] = await once(process, 'exit')
    if (existsSync(to)) await isWhole()
    if (signal === null) {
      assert.equal(status, 0)
      break
    }
    killed++
    if (existsSync(to)) removeAll()
    const again = await runCommand(['backup', to, '--database', database])
    assert.equal(again.status, 0, `after a kill at step ${at}: ${again.err}`)
    await isWhole()
    assert.deepEqual(
      readdirSync(directory).filter((name) => /draft|partial/.test(name)),
      [],
    )
    removeAll()
  }
  // Two names for each blob, and those of the copy.
  assert.ok(killed >= 2 * sessions + 3, `${killed} kills`)
})
