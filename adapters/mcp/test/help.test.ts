import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import test from 'node:test'
import { main } from './programs.ts'

for (const words of [['--help'], ['gateway', '--help']])
  test(`countersign-mcp ${words.join(' ')} prints its usage, without settings`, () => {
    const options = { encoding: 'utf8', env: {} } as const
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], options)
    assert.deepEqual([status, stderr], [0, ''])
    assert.match(stdout, /^countersign-mcp .*\ncountersign-mcp gateway --server NAME/)
  })
