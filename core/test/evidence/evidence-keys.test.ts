import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { test } from 'node:test'
import { readEvidenceKeys, signDocument, verifyDocument } from '../../evidence/index.ts'
import { createEvidenceSigners, evidenceRingOf } from '../../evidence/keys/evidence-keys.ts'
import { evidenceKeyRings } from '../../evidence/keys/records.ts'
import { commit, createLedger, refusal } from '../../kernel/ledger/ledger.ts'
import { one, put } from '../../kernel/ledger/reads.ts'
import { refuse, unwrap } from '../../kernel/ledger/refusal.ts'
import { portablePrimitives } from '../../proof/signing/portable.ts'
import {
  createManualClock,
  createMemoryStore,
  plainSealer,
  sampleEvidence,
  seededRandom,
} from '../../testing/index.ts'

function fixture() {
  const store = createMemoryStore({ collections: [evidenceKeyRings as never], logs: [] })
  const ledger = createLedger({ store, clock: createManualClock(0), random: seededRandom(1) })
  const deps = { ledger, sealer: plainSealer(), primitives: portablePrimitives }
  const signers = createEvidenceSigners(deps)
  const rotate = () =>
    ledger.execute<null>('ten_1', async (unit) => {
      const ring = one(evidenceKeyRings, (await unit.read([evidenceRingOf('ten_1')]))[0])
      if (!ring) return refusal(refuse('not_found', 'no ring'))
      return commit({ puts: [put(evidenceKeyRings, signers.rotated(unit, ring.row), ring)] }, null)
    })
  return { store, deps, signers, rotate }
}

test('a tenant gets one evidence key, however many processes ask at once', async () => {
  const { deps } = fixture()
  const all = await Promise.all(
    Array.from({ length: 8 }, () => createEvidenceSigners(deps).signer('ten_1')),
  )
  assert.equal(new Set(all.map(({ keyId }) => keyId)).size, 1)
  const other = await createEvidenceSigners(deps).signer('ten_2')
  assert.notEqual(other.keyId, all[0]?.keyId)
})

test('a signature verifies under the published JWK, by node:crypto', async () => {
  const { signers } = fixture()
  const { keyId, sign } = await signers.signer('ten_1')
  const [jwk] = unwrap(await signers.keySet('ten_1')).keys
  assert.equal(jwk?.kid, keyId)
  const text = new TextEncoder().encode('{"a":1}')
  const key = createPublicKey({ key: { ...jwk }, format: 'jwk' })
  assert.equal(verify(null, text, key, sign('', text)), true)
})

test('after a rotation the new key signs at once, and what the old one signed still verifies', async () => {
  const { signers, rotate, store } = fixture()
  const before = await signers.signer('ten_1')
  const old = signDocument(sampleEvidence({ steps: 1 }), before)
  unwrap(await rotate())
  const after = await signers.signer('ten_1')
  assert.notEqual(after.keyId, before.keyId)
  const published = unwrap(await signers.keySet('ten_1'))
  assert.deepEqual(
    published.keys.map(({ kid }) => kid),
    [after.keyId, before.keyId],
  )
  const keys = readEvidenceKeys(published, portablePrimitives)
  assert.ok(keys)
  const resultOf = (document: object, keyId: string, by = keys) =>
    verifyDocument(document, by).filter(({ detail }) => detail.includes(keyId))[0]?.result
  assert.equal(resultOf(old, before.keyId), 'verified')
  assert.equal(resultOf(signDocument(old, after), after.keyId), 'verified')
  const withoutOld = readEvidenceKeys({ keys: published.keys.slice(0, 1) }, portablePrimitives)
  assert.ok(withoutOld)
  assert.equal(resultOf(old, before.keyId, withoutOld), 'unchecked')
  assert.deepEqual(
    store.rows(evidenceKeyRings)[0]?.row.keys.map(({ sealed }) => sealed !== null),
    [false, true],
  )
})

test('nobody has keys before anything was signed', async () => {
  const { signers } = fixture()
  const set = await signers.keySet('ten_1')
  assert.equal(set.ok ? null : set.refusal.code, 'not_found')
})
