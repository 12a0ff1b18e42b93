import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readEvidenceKeys } from '@countersign/core/evidence'
import { verifyFile } from '@countersign/documents/verify'
import { fittingKeys, keyTamperings } from './key-tamperings.ts'
import { fileOf, issuer } from './packs.ts'
import { genuine, signedPack, tamperings } from './signed-decisions.ts'

const keys = readEvidenceKeys(issuer.jwk)
assert.ok(keys)

async function found(tampering: Parameters<typeof signedPack>[0]) {
  const { verdict, findings } = await verifyFile(fileOf(await signedPack(tampering)), keys)
  return { verdict, findings, told: findings.filter(({ check }) => check === 'decision') }
}

describe('a decision that its reviewer signed', () => {
  it('is told, and one that was recorded', async () => {
    for (const [name, tampering] of Object.entries(genuine)) {
      const { verdict, told } = await found(tampering)
      assert.equal(verdict, 'verified', name)
      assert.deepEqual(
        told.map(({ result }) => result),
        ['verified', 'verified'],
      )
      assert.match(told[0]?.detail ?? '', /^Signed by the reviewer mem_2 at 2026-03-14T/)
    }
    const { verdict, told } = await found({ signature: () => null })
    assert.equal(verdict, 'verified')
    assert.match(told[0]?.detail ?? '', /^Recorded by the service/)
    assert.equal(told[1]?.detail, '1 decisions are recorded by the service, unsigned.')
  })

  it('is told where log and keys each tell what the other need not', async () => {
    for (const [name, tampering] of Object.entries(fittingKeys)) {
      const { verdict, told } = await found(tampering)
      assert.equal(verdict, 'verified', name)
      assert.ok(
        told.every(({ result }) => result !== 'failed'),
        name,
      )
    }
  })

  for (const [name, tampering] of [
    ...Object.entries(tamperings).filter((_, at) => at % 9 === 4),
    ...Object.entries(keyTamperings),
  ])
    it(`is told wrong after a tampering that the service sealed: ${name}`, async () => {
      const { findings } = await found(tampering)
      const failed = findings.filter(({ result }) => result === 'failed')
      assert.deepEqual([...new Set(failed.map(({ check }) => check))], ['decision'])
    })
})
