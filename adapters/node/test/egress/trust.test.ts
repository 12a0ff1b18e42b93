import assert from 'node:assert/strict'
import { test } from 'node:test'
import { trust } from '../../egress/trust.ts'
import { authority } from './endpoint.ts'

test('an authority that is no certificate is refused before anything is sent', () => {
  const cut = authority.cert.slice(0, authority.cert.length / 2)
  for (const ca of ['', 'garbage', cut, Buffer.from(cut)])
    assert.throws(() => trust(ca), { name: 'TypeError', message: /certificate of an authority/ })
})

test('connections share one context', () => {
  const context = trust(authority.cert)
  assert.equal(context(), context())
})
