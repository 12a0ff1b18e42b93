import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'

const demo = fileURLToPath(new URL('../../demo.js', import.meta.url))
const verifier = fileURLToPath(
  new URL('../verify.mjs', import.meta.resolve('@countersign/documents')),
)

it('the demo loses nothing through two kills, and leaves evidence that verifies', () => {
  const played = spawnSync(process.execPath, [demo, '--json'], { encoding: 'utf8' })
  assert.equal(played.status, 0, played.stderr)
  const told = JSON.parse(played.stdout)
  const { pack, kills } = told
  try {
    assert.deepEqual(
      [told.lost, told.stale, told.spansLost, told.stepsDoubled, kills],
      [0, 0, 0, 0, { server: 1, receiver: 1 }],
    )
    assert.deepEqual(
      [told.sessions, told.sealed, told.spans, told.steps, told.outcomes.approved],
      [11, 11, 44, 44, 3],
    )
    assert.deepEqual(
      [pack.verdict, pack.tamperedVerdict, pack.sessions],
      ['verified', 'failed', 11],
    )
    const { status, stdout } = spawnSync(
      process.execPath,
      [verifier, '--keys', pack.keysFile, pack.file],
      { encoding: 'utf8' },
    )
    assert.equal(status, 0, stdout)
  } finally {
    rmSync(dirname(dirname(pack.file)), { recursive: true, force: true })
  }
})
