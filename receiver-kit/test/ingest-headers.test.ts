import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newCustomerKey } from '@countersign/core/access'
import { seededRandom } from '@countersign/core/testing'
import { ingestHeaders } from '@countersign/receiver-kit/ingest'
import fc from 'fast-check'

const { value: compound, component, secret } = newCustomerKey(seededRandom(1), 'Acme')
const headers = { 'X-API-Key': secret, 'X-Key-Component': component }

/** Runs with the environment's key as given, and puts it back. */
function withEnvironment<T>(key: string | undefined, run: () => T): T {
  const before = process.env.SERVICE_API_KEY
  const set = (value: string | undefined) => {
    if (value === undefined) delete process.env.SERVICE_API_KEY
    else process.env.SERVICE_API_KEY = value
  }
  set(key)
  try {
    return run()
  } finally {
    set(before)
  }
}

describe('the headers of a customer key', () => {
  it('are its last segment and its component, for any organization', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer(), (name, seed) => {
        const key = newCustomerKey(seededRandom(seed), name)
        assert.deepEqual(ingestHeaders(key.value), {
          'X-API-Key': key.secret,
          'X-Key-Component': key.component,
        })
      }),
    )
  })

  it('are of SERVICE_API_KEY where none is given', () => {
    withEnvironment(compound, () => assert.deepEqual(ingestHeaders(), headers))
    withEnvironment('svc_app_other', () => assert.deepEqual(ingestHeaders(compound), headers))
    withEnvironment(undefined, () =>
      assert.throws(() => ingestHeaders(), /SERVICE_API_KEY; got none/),
    )
  })

  it('need no environment', (t) => {
    const { process: host } = globalThis
    t.after(() => Object.assign(globalThis, { process: host }))
    Object.assign(globalThis, { process: undefined })
    assert.deepEqual(ingestHeaders(compound), headers)
    assert.throws(() => ingestHeaders(), /got none/)
  })

  for (const [what, key, told] of [
    ['an empty text', '', /an empty text/],
    ['a line end', `${compound}\n`, /white space around it/],
    ['the last segment', secret, /last segment alone/],
    ['an application key', `svc_app_${secret}`, /an application key/],
    ['another text', 'secret', /does not begin with svc_cust_/],
    ['two segments', compound.slice(0, compound.lastIndexOf('.')), /2 segments instead of 3/],
    ['four segments', `${compound}.x`, /4 segments instead of 3/],
    ['a cut secret', compound.slice(0, -1), /secret \(45, expected 46\)/],
    ['a slug of capitals', compound.replace('acme', 'ACME'), /slug/],
    ['no text', 5 as unknown as string, /number/],
  ] as const)
    it(`are refused for ${what}, which the error does not show`, () => {
      assert.throws(
        () => ingestHeaders(key),
        (error: Error) =>
          error instanceof TypeError &&
          told.test(error.message) &&
          !error.message.includes(secret.slice(0, 40)),
      )
    })
})
