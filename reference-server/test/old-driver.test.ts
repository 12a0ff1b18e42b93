import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { programFile } from '../demo/processes.ts'
import { scratchDirectory } from './processes/scratch.ts'
import { root } from './readme-blocks.ts'

/** Makes a program take its Node for one whose garbage collector ends it with better-sqlite3 12. */
const laterNode = `data:text/javascript,${encodeURIComponent(
  "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '24.22.3' } })",
)}`

test('a program whose driver of SQLite is too old for its Node says what to install, without a trace', () => {
  const directory = scratchDirectory()
  const environment = {
    COUNTERSIGN_DATABASE: join(directory, 'a.sqlite'),
    COUNTERSIGN_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    COUNTERSIGN_SESSION_SECRET: Buffer.alloc(32, 2).toString('base64'),
    COUNTERSIGN_INGEST_URL: 'https://ingest.example.com',
    COUNTERSIGN_PORTAL_URL: 'https://portal.example.com',
    COUNTERSIGN_LOG_LEVEL: 'silent',
  }
  const started = { COUNTERSIGN_DIRECTORY: directory, COUNTERSIGN_LOG_LEVEL: 'silent' }
  const command = join(root, 'reference-server/countersign.mjs')
  const cure = 'better-sqlite3 12\\.[\\d.]+ .*install better-sqlite3@13\\n$'
  for (const [program, words, settings] of [
    [programFile('serve'), [], environment],
    [programFile('start'), [], started],
    [command, ['init', '--name', 'Acme', '--email', 'ada@acme.example'], environment],
  ] as const) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', laterNode, program, ...words],
      { cwd: directory, env: settings, encoding: 'utf8', timeout: 60_000 },
    )
    assert.deepEqual([status, stdout], [2, ''], `${program}: ${stderr}`)
    assert.match(stderr, new RegExp(cure))
    assert.doesNotMatch(stderr, /\n {4}at /)
  }
})
