import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DecidedCase } from '@countersign/client'
import { reviewersIn } from '../reviewers.ts'

/** 32 bytes. */
const coordinate = 'A'.repeat(43)

const file = {
  tenantId: 'ten',
  applicationId: 'app',
  rpId: 'portal.example.com',
  origins: ['https://portal.example.com'],
  keys: [{ kid: 'c1', memberId: 'mem_1', kty: 'EC', crv: 'P-256', x: coordinate, y: coordinate }],
}

describe('reviewersIn', () => {
  it('finds no signature in a decision that has none, or that of a key that is not pinned', async () => {
    const times = { receivedAt: 0 }
    const { tenantId, applicationId } = file
    const asked = { sessionId: 's', checkpointId: 'c', resumeToken: null, presentation: {} }
    for (const given of [file, { ...file, refuseSynced: true, maxAgeMs: 1 }]) {
      const { faultOf } = reviewersIn(JSON.stringify(given))
      const detailOf = async (decided: DecidedCase) =>
        (await faultOf(decided, asked, times))?.detail
      const unsigned = {
        ...{ ...asked, tenantId, applicationId },
        caseVersion: 2,
        decision: 'approved',
        decisionSignature: null,
      } as unknown as DecidedCase
      assert.match(String(await detailOf(unsigned)), /got none/)
      const statement = { memberId: 'mem_2' }
      const other = { ...unsigned, decisionSignature: { statement, credentialId: 'c1' } }
      assert.match(String(await detailOf(other)), /pinned key/)
    }
  })

  it('refuses a file that lacks a check, or misspells one', () => {
    const { keys } = file
    const others: unknown[] = [
      null,
      [],
      { ...file, tenantId: undefined },
      { ...file, applicationId: '' },
      'text',
      { ...file, rpId: undefined },
      { ...file, origins: undefined },
      { ...file, keys: undefined },
      { ...file, keys: [] },
      { ...file, keys: [{ kid: 'c1', kty: 'EC' }] },
      { ...file, origins: [] },
      { ...file, origins: [''] },
      { ...file, refuseSynced: 'true' },
      { ...file, refusesynced: true },
      { ...file, origins: 'https://portal.example.com' },
      { ...file, keys: 'c1' },
      { ...file, keys: [...keys, ...keys] },
      { ...file, keys: keys.map((key) => ({ ...key, crv: 'P-384' })) },
      { ...file, rpId: 'https://portal.example.com' },
      { ...file, origins: ['portal.example.com'] },
      { ...file, maxAgeMs: '1000' },
      { ...file, maxAgeMs: 0 },
    ]
    for (const other of others)
      assert.throws(() => reviewersIn(JSON.stringify(other)), /expected reviewers/)
    assert.throws(() => reviewersIn('{'), SyntaxError)
  })
})
