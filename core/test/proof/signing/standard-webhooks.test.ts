import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  loadSigningKey,
  loadVerifyKey,
  portablePrimitives,
  sign,
  signedHeaders,
  verify,
} from '@countersign/core/signing'
import { Webhook } from 'standardwebhooks'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const now = 1_800_000_000_000
const body = new TextEncoder().encode('{"type":"review.case.created","note":"Grüße, 世界"}')
const message = { id: 'evt_01', timestamp: now / 1000, body }

test('what we sign under v1 verifies with the reference library', (t) => {
  t.mock.method(Date, 'now', () => now)
  const headers = signedHeaders({ ...message, keys: [loadSigningKey(secret, portablePrimitives)] })
  assert.deepEqual(
    new Webhook(secret).verify(Buffer.from(body), headers),
    JSON.parse(new TextDecoder().decode(body)),
  )
})

test('what the reference library signs verifies with us', () => {
  const headers = {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': new Webhook(secret).sign(message.id, new Date(now), Buffer.from(body)),
  }
  const keys = [loadVerifyKey(secret, portablePrimitives)]
  assert.deepEqual(verify({ headers, body, keys, now }), {
    ok: true,
    id: message.id,
    timestamp: message.timestamp,
    keyIndex: 0,
  })
})

test('the known answer of Standard Webhooks, byte for byte', () => {
  assert.equal(
    sign({
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: 1_614_265_330,
      body: new TextEncoder().encode('{"test": 2432232314}'),
      keys: [loadSigningKey(secret, portablePrimitives)],
    }),
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  )
})
