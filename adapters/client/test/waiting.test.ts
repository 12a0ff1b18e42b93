import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ApiError } from '../index.ts'
import { asked, playedService, resultOf } from './played-service.ts'

type Coded = Error & { code?: string }

function coded(code: string | undefined, message: string, more: ErrorOptions = {}): Coded {
  return Object.assign(new Error(message, more), code === undefined ? {} : { code })
}

/** What Node throws: the code is the cause's. */
const node = (code: string, message: string) =>
  coded(undefined, 'fetch failed', { cause: coded(code, message) })
/** Node with both addresses of localhost. */
const joined = (code: string) =>
  coded(undefined, 'fetch failed', {
    cause: new AggregateError([coded(code, `connect ${code} ::1:1`)], ''),
  })
/** Bun has the code on the error itself; Deno has a text alone. */
const bun = coded
const deno = (message: string) =>
  coded(undefined, `error sending request: client error (Connect): ${message}`)

const lasting = {
  'unknown authority': node(
    'SELF_SIGNED_CERT_IN_CHAIN',
    'self-signed certificate in certificate chain',
  ),
  'unknown authority of a leaf': node(
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'unable to verify the first certificate',
  ),
  'another name': node(
    'ERR_TLS_CERT_ALTNAME_INVALID',
    "Host: b. is not in the cert's altnames: DNS:a",
  ),
  expired: node('CERT_HAS_EXPIRED', 'certificate has expired'),
  'unknown name': node('ENOTFOUND', 'getaddrinfo ENOTFOUND ingest.exmaple'),
  'unknown authority in Bun': bun('DEPTH_ZERO_SELF_SIGNED_CERT', 'self signed certificate'),
  'unknown authority in Deno': deno('invalid peer certificate: UnknownIssuer'),
  'unknown name in Deno': deno(
    'dns error: failed to lookup address information: Name or service not known',
  ),
}

const passing = {
  'refused port': node('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:8443'),
  'refused port of two addresses': joined('ECONNREFUSED'),
  'resolver away': node('EAI_AGAIN', 'getaddrinfo EAI_AGAIN ingest.example'),
  'resolver away in Deno': deno(
    'dns error: failed to lookup address information: Temporary failure in name resolution',
  ),
  'ended connection': node('UND_ERR_SOCKET', 'other side closed'),
  'refused port in Bun': bun('ConnectionRefused', 'Unable to connect'),
}

/** A service that does not answer the first of its requests. */
const failing = (times: number, error: Error) =>
  playedService((_, nth) => (nth < times ? { answer: error, acts: false } : null))

describe('waiting for a service that gives no answer', () => {
  for (const [what, error] of Object.entries(lasting))
    it(`ends at the first try: ${what}`, async () => {
      const waits: number[] = []
      const { client, clock, outcome } = failing(Number.POSITIVE_INFINITY, error)
      const onWaiting = (_: ApiError, nextInMs: number) => waits.push(nextInMs)
      const done = await outcome(client.reviewCases.request(asked, { onWaiting }))
      assert.ok('error' in done && done.error instanceof ApiError)
      const { code, cause, message } = done.error
      assert.deepEqual(
        [code, cause, done.error.lasting, waits, clock.monotonic()],
        ['no_answer', error, true, [], 0],
      )
      const inner = (error.cause ?? error) as Coded
      for (const part of [inner.message, inner.code ?? ''])
        assert.ok(message.includes(part), message)
      assert.equal(
        message.includes('NODE_EXTRA_CA_CERTS'),
        what.startsWith('unknown authority'),
        message,
      )
    })

  for (const [what, error] of Object.entries(passing))
    it(`goes on, and reports it: ${what}`, async () => {
      const told: [string, number][] = []
      const { client, clock, decide, outcome } = failing(9, error)
      const onWaiting = (met: ApiError, nextInMs: number) => {
        assert.deepEqual([met.code, met.cause, met.lasting], ['no_answer', error, false])
        told.push([met.message, nextInMs])
      }
      clock.after(60_000, () => decide('rc_c', 'approved'))
      const done = await outcome(client.reviewCases.request(asked, { onWaiting }))
      assert.equal(resultOf(done).approved, true)
      // A call repeats an opening twice by itself.
      assert.deepEqual(
        told.map(([, ms]) => ms),
        [1_000, 2_000, 4_000],
      )
    })

  it('gives the reason of an abort the error that it met last, and no other', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(0, 3, 100),
        fc.constantFrom('error', 'with a cause', 'frozen', 'text'),
        async (failures, kind) => {
          const error = passing['refused port']
          const { client, clock, outcome } = failing(failures, error)
          const own = new Error('the user left', kind === 'with a cause' ? { cause: 'own' } : {})
          const reason =
            kind === 'text' ? 'the user left' : kind === 'frozen' ? Object.freeze(own) : own
          const left = new AbortController()
          clock.after(40_000, () => left.abort(reason))
          const done = await outcome(client.reviewCases.request(asked, { signal: left.signal }))
          assert.ok('error' in done)
          assert.equal(done.error, reason)
          if (!(reason instanceof Error)) return
          const { cause } = reason
          if (kind === 'error' && failures === 100) {
            assert.ok(cause instanceof ApiError)
            assert.equal(cause.cause, error)
          } else assert.equal(cause, kind === 'with a cause' ? 'own' : undefined)
        },
      ),
    ))

  it('ends with what onWaiting throws', async () => {
    const { client, outcome } = failing(100, passing['refused port'])
    const onWaiting = () => {
      throw new Error('enough')
    }
    const done = await outcome(client.reviewCases.request(asked, { onWaiting }))
    assert.ok('error' in done && done.error instanceof Error)
    assert.equal(done.error.message, 'enough')
  })
})
