import assert from 'node:assert/strict'
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Finding } from '@countersign/core/evidence'

const demo = fileURLToPath(new URL('../../demo.js', import.meta.url))
const verifier = fileURLToPath(
  new URL('../verify.mjs', import.meta.resolve('@countersign/documents')),
)
const python = fileURLToPath(new URL('../../../../conformance/verifier', import.meta.url))
/** Why the second verifier is not asked; false where it is, and where tests decide. */
const isMissing =
  process.env.CI !== 'true' &&
  spawnSync('python3', ['-c', 'import cryptography']).status !== 0 &&
  'needs python3 with the package cryptography'
const asText = { encoding: 'utf8', maxBuffer: 64 * 2 ** 20 } as const

/** What a verifier says of the decisions in a file that it verified whole: result, case, and who signed. */
function decisionsIn({ status, stdout, stderr }: SpawnSyncReturns<string>): readonly string[] {
  assert.equal(status, 0, stdout + stderr)
  const { files } = JSON.parse(stdout) as { readonly files: readonly { findings: Finding[] }[] }
  return files
    .flatMap(({ findings }) => findings.filter(({ check }) => check === 'decision'))
    .map(({ result, about, detail }) => {
      const [reviewCaseId] = /rc_\w+/.exec(about) ?? []
      const [memberId = 'nobody'] = /mem_\w+/.exec(detail) ?? []
      return `${result} ${reviewCaseId} ${memberId}`
    })
    .toSorted()
}

it('the demo loses nothing through two kills, and leaves evidence that two verifiers read alike', async (t) => {
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
      [11, 11, 44, 44, 4],
    )
    assert.deepEqual(
      [pack.verdict, pack.tamperedVerdict, pack.sessions],
      ['verified', 'failed', 11],
    )
    const given = ['--json', '--keys', pack.keysFile, pack.file]
    const first = decisionsIn(spawnSync(process.execPath, [verifier, ...given], asText))
    const [recorded = '', signed = ''] = first
    assert.equal(first.length, 2)
    assert.match(recorded, /^noted rc_\w+ nobody$/)
    assert.match(signed, /^verified rc_\w+ mem_/)
    assert.deepEqual(pack.decisions, { signed: 1, recorded: 1 })
    await t.test('as the second verifier says', { skip: isMissing }, () => {
      const second = decisionsIn(spawnSync('python3', ['-B', python, ...given], asText))
      assert.deepEqual(second, first)
    })
  } finally {
    rmSync(dirname(dirname(pack.file)), { recursive: true, force: true })
  }
})
