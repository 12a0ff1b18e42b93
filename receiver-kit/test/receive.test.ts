import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createReceiver, memoryInbox } from '@countersign/receiver-kit'
import {
  createTestSigner,
  sampleChallenge,
  sampleOutcome,
  sampleReviewEvent,
  signLegacyEvent,
} from '@countersign/receiver-kit/testing'
import { Webhook } from 'standardwebhooks'
import { bytes, createBench, sharedSecret, start } from './support.ts'

const legacySecret = 'a secret that the webhook was given'
const legacyEvent = {
  id: 'evt_older',
  type: 'alert.triggered',
  timestamp: '2026-03-01T09:00:00.000Z',
  tenantId: 'ten_sample',
  applicationId: null,
  data: {
    alertRuleId: 'rule_1',
    alertRuleName: 'too slow',
    metricName: 'latency',
    currentValue: 2,
    threshold: 1,
    severity: 'high',
  },
}

describe('a message that is in order', () => {
  it('is stored once under its id, then acknowledged', async () => {
    const { send, signer, inbox, told } = createBench()
    assert.deepEqual(await inbox.has(['evt_sample']), [false])
    assert.deepEqual(await send(signer.sign(sampleReviewEvent())), { status: 204, body: null })
    assert.deepEqual(await inbox.has(['evt_sample']), [true])
    assert.deepEqual(told('receiver.stored'), [{ id: 'evt_sample', type: 'review.case.created' }])
  })

  it('is acknowledged again when it comes again, signed anew', async () => {
    const { clock, send, signer, drain, turns } = createBench()
    await send(signer.sign(sampleReviewEvent()))
    await clock.advance(3_600_000)
    assert.equal((await send(signer.sign(sampleReviewEvent()))).status, 204)
    assert.deepEqual(await drain(), { handled: 1, failed: 0 })
    assert.equal(turns.length, 1)
  })

  it('has one effect when it comes fifty times at once', async () => {
    const { send, signer, drain, turns } = createBench()
    const message = signer.sign(sampleReviewEvent())
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(message)))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([204]))
    await drain()
    assert.equal(turns.length, 1)
  })

  it('keeps the first body of an id, acknowledges the other, and tells the difference', async () => {
    const { send, signer, turns, told, drain } = createBench()
    await send(signer.sign(sampleReviewEvent({ decision: null })))
    const other = sampleReviewEvent({ caseVersion: 9 })
    assert.equal((await send(signer.sign(other))).status, 204)
    await drain()
    assert.deepEqual(
      turns.map(({ message }) => message.caseVersion),
      [1],
    )
    assert.deepEqual(told('receiver.body_differs'), [
      { id: 'evt_sample', type: 'review.case.created' },
    ])
  })

  it('is believed under any of several keys, of either kind', async () => {
    const ed25519 = createTestSigner({ now: () => start })
    const shared = createTestSigner({ privateKey: sharedSecret, now: () => start })
    const { send } = createBench({
      keys: [`whsec_${Buffer.alloc(24, 1).toString('base64')}`, ed25519.key, shared.key],
    })
    assert.equal((await send(ed25519.sign(sampleReviewEvent()))).status, 204)
    assert.equal((await send(shared.sign(sampleReviewEvent({ id: 'evt_2' })))).status, 204)
  })

  it('may be signed by the reference library of Standard Webhooks, and the other way', async () => {
    const { send } = createBench({ keys: [sharedSecret] })
    const event = sampleReviewEvent()
    const body = JSON.stringify(event)
    const library = new Webhook(sharedSecret)
    const headers = {
      'webhook-id': event.id,
      'webhook-timestamp': String(start / 1000),
      'webhook-signature': library.sign(event.id, new Date(start), body),
    }
    assert.equal((await send({ headers, body: bytes(body) })).status, 204)

    const ours = createTestSigner({ privateKey: sharedSecret }).sign(event)
    library.verify(Buffer.from(ours.body), { ...ours.headers })
  })

  it('answers a challenge by itself, once it is stored, and again at a repeat', async () => {
    const { send, signer, inbox } = createBench()
    const message = signer.sign(sampleChallenge('prove it'))
    for (const _ of [1, 2])
      assert.deepEqual(await send(message), { status: 200, body: { challenge: 'prove it' } })
    assert.deepEqual(await inbox.has(['evt_sample_challenge']), [true])
  })
})

describe('the legacy family', () => {
  it('is believed under its own secret', async () => {
    const { send, drain, turns } = createBench({ legacySecrets: ['another', legacySecret] })
    assert.equal((await send(signLegacyEvent(legacyEvent, legacySecret))).status, 204)
    await drain()
    assert.equal(turns[0]?.event.type, 'alert.triggered')
    assert.equal(turns[0]?.position, 'unordered')
  })

  it('is believed in rotation, under the header of the secret to come', async () => {
    const { send } = createBench({ legacySecrets: [legacySecret] })
    const { headers, body } = signLegacyEvent(legacyEvent, 'the secret before')
    const next = signLegacyEvent(legacyEvent, legacySecret).headers['x-service-signature'] ?? ''
    const both = { ...headers, 'x-service-signature-next': next }
    assert.equal((await send({ headers: both, body })).status, 204)
  })

  for (const type of ['review.case.decided', 'subscription.disabled', 'review.case.of_the_future'])
    it(`never carries ${type}, for its signature is the weaker one`, async () => {
      const { send, inbox } = createBench({ legacySecrets: [legacySecret] })
      const event = { ...sampleReviewEvent(), type }
      assert.deepEqual(await send(signLegacyEvent(event, legacySecret)), {
        status: 401,
        body: { code: 'weaker_signature' },
      })
      assert.deepEqual(await inbox.has([event.id]), [false])
    })

  it('has no effect twice, for it bears no time: a year later the id still counts', async () => {
    const { clock, send, drain, turns } = createBench({ legacySecrets: [legacySecret] })
    const message = signLegacyEvent(legacyEvent, legacySecret)
    await send(message)
    await clock.advance(365 * 86_400_000)
    assert.equal((await send(message)).status, 204)
    await drain()
    assert.equal(turns.length, 1)
  })

  it('says what is missing when no secret of it was given', async () => {
    const { send, told } = createBench()
    assert.equal((await send(signLegacyEvent(legacyEvent, legacySecret))).status, 401)
    assert.match(String(told('receiver.refused')[0]?.detail), /legacySecrets/)
  })
})

describe('a message that is refused', () => {
  const good = () => createTestSigner({ now: () => start }).sign(sampleReviewEvent())
  const withHeader = (name: string, value: string) => {
    const { headers, body } = good()
    return { headers: { ...headers, [name]: value }, body }
  }
  const without = (name: string) => {
    const { headers, body } = good()
    return {
      headers: Object.fromEntries(Object.entries(headers).filter(([n]) => n !== name)),
      body,
    }
  }
  const changed = (at: number) => {
    const { headers, body } = good()
    return { headers, body: body.with(at, (body[at] ?? 0) ^ 1) }
  }
  const signature = good().headers['webhook-signature'] ?? ''

  const table = [
    ['no signature', without('webhook-signature'), 401, 'unsigned', /webhook-signature/],
    ['no id', without('webhook-id'), 401, 'unsigned', /webhook-id/],
    ['no timestamp', without('webhook-timestamp'), 401, 'unsigned', /webhook-timestamp/],
    ['an empty signature', withHeader('webhook-signature', 'v1a,'), 401, 'bad_signature', /./],
    [
      'a joined signature',
      withHeader('webhook-signature', `${signature}, ${signature}`),
      401,
      'bad_signature',
      /./,
    ],
    ['a joined id', withHeader('webhook-id', 'evt_sample, evt_sample'), 401, 'bad_signature', /./],
    [
      'a lax timestamp',
      withHeader('webhook-timestamp', `${start / 1000}abc`),
      401,
      'bad_signature',
      /digits/,
    ],
    ['a changed first byte', changed(0), 401, 'bad_signature', /byte for byte/],
    ['a changed last byte', changed(good().body.length - 1), 401, 'bad_signature', /byte for byte/],
    ['another id', withHeader('webhook-id', 'evt_other'), 401, 'bad_signature', /another key/],
  ] as const
  for (const [what, message, status, code, detail] of table)
    it(`${what}: ${status} ${code}, with the reason for the observer alone`, async () => {
      const { send, inbox, told } = createBench()
      assert.deepEqual(await send(message), { status, body: { code } })
      assert.deepEqual(await inbox.has(['evt_sample', 'evt_other']), [false, false])
      assert.match(String(told('receiver.refused')[0]?.detail), detail)
    })

  it('five minutes of difference pass, a second more does not, and the log says how far and which way', async () => {
    const { send, signer, told } = createBench()
    const event = sampleReviewEvent()
    for (const seconds of [-300, 300])
      assert.equal((await send(signer.sign(event, start + seconds * 1000))).status, 204)
    for (const seconds of [-301, 301])
      assert.deepEqual(await send(signer.sign(event, start + seconds * 1000)), {
        status: 401,
        body: { code: 'bad_timestamp' },
      })
    const [old, ahead] = told('receiver.refused').map(({ detail }) => String(detail))
    assert.match(old ?? '', /301 s old/)
    assert.match(ahead ?? '', /301 s ahead/)
  })

  it('the wrong flavour of key is named', async () => {
    const { send, told } = createBench({ keys: [sharedSecret] })
    assert.equal((await send(good())).status, 401)
    assert.match(String(told('receiver.refused')[0]?.detail), /whpk_/)
  })

  it('an id that is not the body’s', async () => {
    const { send, signer, inbox } = createBench()
    for (const body of ['{"id":"evt_2","type":"review.case.created"}', '{"type":"x.y"}'])
      assert.deepEqual(await send(signer.signBytes('evt_1', bytes(body))), {
        status: 400,
        body: { code: 'id_mismatch' },
      })
    assert.deepEqual(await inbox.has(['evt_1', 'evt_2']), [false, false])
  })

  it('an outcome callback, which would be lost here', async () => {
    const { send, signer, inbox } = createBench()
    const outcome = sampleOutcome()
    assert.deepEqual(await send(signer.sign(outcome)), {
      status: 400,
      body: { code: 'wrong_endpoint' },
    })
    assert.deepEqual(await inbox.has([outcome.id]), [false])
  })

  it('any method but POST, and a body over the limit', async () => {
    const { send, signer } = createBench({ maxBodyBytes: 100 })
    const message = signer.sign(sampleReviewEvent())
    assert.deepEqual(await send(message, 'GET'), {
      status: 405,
      body: { code: 'method_not_allowed' },
    })
    assert.deepEqual(await send(message), { status: 413, body: { code: 'body_too_large' } })
  })
})

describe('authentic bytes that are no event', () => {
  const unreadable = {
    'cut JSON': bytes('{"id":"evt_1","type"'),
    'bytes that are not UTF-8': Uint8Array.of(0x22, 0xff, 0x22),
    'a byte order mark': bytes('\uFEFF{"id":"evt_1","type":"a.b"}'),
    'an array': bytes('[]'),
    'no type': bytes('{"id":"evt_1"}'),
    nothing: new Uint8Array(0),
  }
  for (const [what, body] of Object.entries(unreadable))
    it(`${what}: kept, acknowledged so that no retry loops, shown to a handler of its own`, async () => {
      const shown: string[] = []
      const bench = createBench({ onUnreadable: ({ id }) => void shown.push(id) })
      const { drain, send, signer, told, turns } = bench
      for (const _ of [1, 2])
        assert.equal((await send(signer.signBytes('evt_1', body))).status, 204)
      assert.equal(told('receiver.unreadable').length, 1)
      await drain()
      assert.deepEqual(shown, ['evt_1'])
      assert.equal(turns.length, 0)
    })

  it('without an id that was signed they can only be refused', async () => {
    const { send, told } = createBench({ legacySecrets: [legacySecret] })
    const { headers, body } = signLegacyEvent(['no', 'event'], legacySecret)
    assert.deepEqual(await send({ headers, body }), {
      status: 400,
      body: { code: 'unreadable_body' },
    })
    assert.equal(told('receiver.refused').length, 1)
  })
})

describe('createReceiver', () => {
  const make = (keys: readonly string[], more: object = {}) =>
    createReceiver({ keys, inbox: memoryInbox(), onEvent: () => {}, ...more })

  const mistakes: [string, () => unknown, RegExp][] = [
    ['no key', () => make([]), /at least one key/],
    ['an empty secret', () => make(['whsec_']), /24 to 64/],
    ['a private key', () => make([`whsk_${Buffer.alloc(32, 1).toString('base64')}`]), /whpk_/],
    ['a bare secret', () => make(['c2VjcmV0']), /whsec_/],
    ['a weak public key', () => make([`whpk_${Buffer.alloc(32).toString('base64')}`]), /./],
    ['an empty older secret', () => make([], { legacySecrets: [''] }), /not empty/],
    [
      'an answer after the sender gave up',
      () => make([sharedSecret], { ackDeadlineMs: 10_000 }),
      /ackDeadlineMs/,
    ],
    ['no concurrency', () => make([sharedSecret], { concurrency: 0 }), /concurrency/],
  ]
  for (const [what, create, message] of mistakes)
    it(`refuses ${what}`, () => assert.throws(create, message))
})
