import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  formatSharedSecret,
  keyPairOf,
  legacyHeaders,
  legacyKey,
  loadSigningKey,
  portablePrimitives,
  sharedSecretKey,
  signedHeaders,
} from '@countersign/core/signing'
import { verdictOn } from '../../app/webhooks/verdict.ts'

const body = '{"id":"evt_1","note":"é"}'
const bytes = new TextEncoder().encode(body)
const message = { id: 'evt_1', timestamp: 1_700_000_000, body: bytes }

it('a verdict holds by the right key alone, however long ago the message was sent', () => {
  const pair = keyPairOf(new Uint8Array(32).fill(7), portablePrimitives)
  const keys = [loadSigningKey(pair.privateKey, portablePrimitives)]
  const headers = signedHeaders({ ...message, keys })
  const judged = (key: string, changed = body) =>
    verdictOn({ family: 'standard', headers, body: changed, key }).ok
  assert.equal(judged(pair.publicKey), true)
  assert.equal(judged(pair.publicKey, `${body} `), false)
  assert.equal(judged('whpk_no'), false)
  assert.equal(judged(''), false)
})

it('a verdict on a shared secret and on the legacy family is by the secret', () => {
  const secret = new Uint8Array(32).fill(9)
  const headers = signedHeaders({ ...message, keys: [sharedSecretKey(secret, portablePrimitives)] })
  const key = formatSharedSecret(secret)
  assert.equal(verdictOn({ family: 'standard', headers, body, key }).ok, true)
  const old = legacyHeaders({ body: bytes, key: legacyKey('a secret', portablePrimitives) })
  const judged = (text: string) => verdictOn({ family: 'legacy', headers: old, body, key: text }).ok
  assert.deepEqual([judged('a secret'), judged('another')], [true, false])
})
