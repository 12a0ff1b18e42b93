import assert from 'node:assert/strict'
import { execFileSync, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { scratch } from './scratch.ts'
import { openLedger, ways } from './writer.ts'

const name = scratch()
const writer = new URL('./writer.js', import.meta.url)
const source = fileURLToPath(new URL('../../test/count-syncs.c', import.meta.url))

function whyNot(): string | false {
  if (process.platform !== 'linux') return 'LD_PRELOAD is of Linux'
  return spawnSync('cc', ['--version']).error ? 'no C compiler' : false
}

describe('syncs to the disk', { skip: whyNot() }, () => {
  const library = name('count-syncs.so')

  async function syncsOf(count: number, together: number, way: string): Promise<number> {
    const file = name('synced.db')
    // Made before, so that the writer is the second to open it.
    await openLedger(file).close()
    const told = name('count')
    const env = { ...process.env, LD_PRELOAD: library, SYNC_COUNT: told }
    const child = fork(writer, [file, 'w', String(count), String(together), way], { env })
    const [code] = await once(child, 'exit')
    assert.equal(code, 0)
    return Number(readFileSync(told, 'utf8'))
  }

  before(() => {
    execFileSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl'])
  })

  for (const [how, thread] of ways)
    it(`come once or more for each commit that is told, and once for a group${how}`, async () => {
      const way = thread ? 'thread' : 'here'
      const idle = await syncsOf(0, 1, way)
      assert.ok((await syncsOf(60, 1, way)) - idle >= 60, 'sixty commits, one after another')
      assert.ok((await syncsOf(60, 60, way)) - idle <= 4, 'sixty commits that share a transaction')
    })
})
