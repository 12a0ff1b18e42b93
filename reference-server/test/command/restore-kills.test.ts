import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import { scratchDirectory } from '../processes/scratch.ts'
import {
  contentOf,
  killRestore,
  prepareRestores,
  type RestoreStage,
  startRestore,
  untouched,
} from './restore-support.ts'
import { runCommand, settingsOf } from './run-command.ts'

describe('restore as a process', () => {
  const directory = scratchDirectory()
  let stage: RestoreStage

  before(async () => {
    stage = await prepareRestores(directory)
  })

  it('is begun anew by the same command after a kill in the middle; the long test has every step', async () => {
    assert.deepEqual(await killRestore(stage, 'in place', 5), { left: 'old', ended: false })
  })

  it('lets no server start beside it, and no other restore', async () => {
    const file = stage.place()
    const goOn = `${file}.go-on`
    const child = startRestore(file, stage.backup, { WAIT_AT: '4', WAIT_FOR: goOn })
    const [said] = await once(child.stderr as NodeJS.ReadableStream, 'data')
    assert.equal(String(said), 'waiting\n')
    const environment = settingsOf(file)
    const args = ['init', '--name', 'third', '--email', 'third@example.com']
    const started = await runCommand(args, { environment })
    assert.deepEqual([started.status, contentOf(file)], [1, untouched])
    assert.match(started.err, /is being restored: start again when that has ended/)
    const other = await runCommand(['restore', stage.backup, '--database', file])
    assert.equal(other.status, 1)
    assert.match(other.err, /another process has .* open: stop it first/)
    writeFileSync(goOn, '')
    const [status] = await once(child, 'exit')
    assert.equal(status, 0)
    const after = await runCommand(args, { environment })
    assert.equal(after.status, 0, after.err)
    assert.equal(contentOf(file).tenants, 2, 'that of the backup, and the third')
  })
})
