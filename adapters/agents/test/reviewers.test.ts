import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DecidedCase } from '@countersign/client'
import { reviewersIn } from '../reviewers.ts'

const file = {
  rpId: 'portal.example.com',
  origins: ['https://portal.example.com'],
  keys: [{ kid: 'c1', memberId: 'mem_1', kty: 'EC', crv: 'P-256', x: 'eA', y: 'eQ' }],
}

describe('reviewersIn', () => {
  it('finds no signature in a decision that has none, or that of a key that is not pinned', async () => {
    const times = { receivedAt: 0 }
    for (const given of [file, { ...file, refuseSynced: true, maxAgeMs: 1 }]) {
      const { faultOf } = reviewersIn(JSON.stringify(given))
      const unsigned = { decision: 'approved', decisionSignature: null } as DecidedCase
      assert.match(String(await faultOf(unsigned, {}, times)), /got none/)
      const statement = { memberId: 'mem_2' }
      const other = { ...unsigned, decisionSignature: { statement, credentialId: 'c1' } }
      assert.match(String(await faultOf(other, {}, times)), /pinned key/)
    }
  })

  it('refuses a file that lacks a check, or misspells one', () => {
    const { rpId, origins, keys } = file
    const others: unknown[] = [
      null,
      [],
      'text',
      { origins, keys },
      { rpId, keys },
      { rpId, origins },
      { ...file, keys: [] },
      { ...file, keys: [{ kid: 'c1', kty: 'EC' }] },
      { ...file, origins: [] },
      { ...file, origins: [''] },
      { ...file, refuseSynced: 'true' },
      { ...file, refusesynced: true },
      { ...file, origins: 'https://portal.example.com' },
      { ...file, keys: 'c1' },
      { ...file, maxAgeMs: '1000' },
      { ...file, maxAgeMs: 0 },
    ]
    for (const other of others)
      assert.throws(() => reviewersIn(JSON.stringify(other)), /expected reviewers/)
    assert.throws(() => reviewersIn('{'), SyntaxError)
  })
})
