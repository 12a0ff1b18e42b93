import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readEvidenceKeys } from '@countersign/core/evidence'
import { verifyFile } from '@countersign/documents/verify'
import { fittingKeys, keyTamperings } from './key-tamperings.ts'
import { fileOf, issuer } from './packs.ts'
import { genuine, renamed, signedAuditorPack, signedPack, tamperings } from './signed-decisions.ts'

const keys = readEvidenceKeys(issuer.jwk)
assert.ok(keys)

async function found(tampering: Parameters<typeof signedPack>[0], packed = signedPack) {
  const { verdict, findings } = await verifyFile(fileOf(await packed(tampering)), keys)
  return { verdict, findings, told: findings.filter(({ check }) => check === 'decision') }
}

describe('a decision that its reviewer signed', () => {
  it('is told, and one that was recorded', async () => {
    for (const [name, tampering] of Object.entries(genuine))
      for (const [packed, detail] of [
        [signedPack, /^Signed by the reviewer mem_2 at 2026-03-14T/],
        [signedAuditorPack, /^1 decisions are signed by their reviewers\.$/],
      ] as const) {
        const { verdict, told } = await found(tampering, packed)
        assert.equal(verdict, 'verified', name)
        assert.deepEqual(
          told.map(({ result }) => result),
          ['verified'],
        )
        assert.match(told[0]?.detail ?? '', detail)
      }
    for (const [packed, detail] of [
      [signedPack, /^Recorded by the service/],
      [signedAuditorPack, /^1 decisions are recorded by the service, unsigned\.$/],
    ] as const) {
      const { verdict, told } = await found({ signature: () => null }, packed)
      assert.equal(verdict, 'verified')
      assert.match(told[0]?.detail ?? '', detail)
    }
  })

  it('is told of the session that it was signed for, which got its name later', async () => {
    for (const packed of [signedPack, signedAuditorPack]) {
      const { verdict, findings } = await found(renamed(true), packed)
      assert.equal(verdict, 'verified')
      const told = findings.filter(({ check }) => check === 'decision')
      assert.deepEqual(told.map(({ result }) => result).toSorted(), ['noted', 'verified'])
      assert.ok(told.some(({ detail }) => /while (?:its|their) session (?:was|had)/.test(detail)))
    }
  })

  it('is none of a session that it did not name, of whatever it is said to have moved from', async () => {
    const { findings } = await found({ ...renamed(true), signed: { sessionId: 'session-other' } })
    const failed = findings.filter(({ result }) => result === 'failed')
    assert.deepEqual([...new Set(failed.map(({ check }) => check))], ['decision'])
  })

  it('is told where log and keys each tell what the other need not', async () => {
    for (const [name, tampering] of Object.entries(fittingKeys)) {
      const { verdict, told } = await found(tampering, signedAuditorPack)
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
      const { findings } = await found(tampering, signedAuditorPack)
      const failed = findings.filter(({ result }) => result === 'failed')
      assert.deepEqual([...new Set(failed.map(({ check }) => check))], ['decision'])
    })
})
