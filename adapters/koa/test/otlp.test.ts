import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { ingestLimits } from '@countersign/core/ledger'
import { codeOf } from './client.ts'
import { openWorld, type World } from './world.ts'

const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } })
const span = (spanId: number, members: object = {}) => ({
  traceId: 'ff0068b06e945e4f55aa3d884f3216e8',
  spanId: spanId.toString(16).padStart(16, '0'),
  name: 'chat',
  startTimeUnixNano: '1795177744486000000',
  endTimeUnixNano: '1795177744487000000',
  attributes: [attribute('session.id', 's-1'), attribute('input.value', 'secret text')],
  ...members,
})
const exportOf = (...spans: readonly object[]) => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] })

describe('POST /v1/ingest/otlp', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  const json = { 'content-type': 'application/json' }
  const post = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    world.call({
      host: 'ingest',
      method: 'POST',
      path: '/v1/ingest/otlp',
      as: world.home.app.ingest,
      body,
      headers: { ...json, ...headers },
    })
  const stepsOf = async (sessionId: string) => {
    const read = await world.service.sessions.listSteps(world.home.admin.actor, {
      sessionId,
      page: 1,
      pageSize: 100,
    })
    return read.ok ? read.value.totalCount : 0
  }

  test('takes an export, in gzip, in chunks, and again', async () => {
    const plain = await post(exportOf(span(1), span(2)))
    assert.deepEqual([plain.status, plain.json], [200, {}])
    const packed = gzipSync(JSON.stringify(exportOf(span(2), span(3))))
    const gzip = await post(packed, { 'content-encoding': 'gzip' })
    assert.deepEqual([gzip.status, gzip.json], [200, {}])
    const chunked = await post(packed, {
      'content-encoding': 'GZIP',
      'transfer-encoding': 'chunked',
    })
    assert.deepEqual([chunked.status, chunked.json], [200, {}])
    assert.equal(await stepsOf('s-1'), 3)
    assert.equal(world.contents().includes('secret text'), false, 'content lies in a row')
  })

  test('tells which spans it did not take, and takes the others', async () => {
    const session = { attributes: [attribute('session.id', 's-2')] }
    const answer = await post(
      exportOf(
        span(0),
        span(21, session),
        span(22, { endTimeUnixNano: '1' }),
        span(23, { ...session, traceId: 'x' }),
      ),
    )
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.json, {
      partialSuccess: {
        rejectedSpans: '3',
        errorMessage:
          'spans rejected: 2 trace id, span id or another id malformed; 1 start or end missing or reversed',
      },
    })
    assert.equal(await stepsOf('s-2'), 1)
  })

  test('says where the caller stands, and counts large bodies as more requests', async () => {
    const { headers } = await post(exportOf())
    const left = Number(headers['x-ratelimit-remaining'])
    assert.equal(headers['x-ratelimit-limit'], '10000')
    assert.ok(Number(headers['x-ratelimit-reset']) > world.clock.now() / 1000)
    await post({ ...exportOf(), more: 'x'.repeat(1_048_576) })
    const after = await post(exportOf())
    assert.equal(Number(after.headers['x-ratelimit-remaining']), left - 6)
  })

  test('refuses in the words of google.rpc.Status, and nothing is written', async () => {
    const untouched = world.contents()
    const whole = JSON.stringify(exportOf(span(31)))
    const deep = '['.repeat(200_000)
    const packed = gzipSync(whole)
    const put = (text: string) => whole.replace('"chat"', text)
    const cases: readonly [unknown, Readonly<Record<string, string>>, number, number, RegExp][] = [
      ['{"resourceMetrics":[]}', {}, 400, 3, /resourceSpans/],
      ['', {}, 400, 3, /JSON/],
      [whole.slice(0, -1), {}, 400, 3, /JSON/],
      [deep, {}, 400, 3, /64 levels/],
      [put('"a","name":"b"'), {}, 400, 3, /each member once/],
      [put('"a","__proto__":{}'), {}, 400, 3, /__proto__/],
      [put('"\\ud800"'), {}, 400, 3, /surrogate/],
      [put('"a","kind":"SPAN_KIND_CLIENT"'), {}, 400, 3, /number of an enum/],
      [put('"a","more":1e999'), {}, 400, 3, /double/],
      [packed.subarray(0, -9), { 'content-encoding': 'gzip' }, 400, 3, /gzip that is whole/],
      [whole, { 'content-encoding': 'gzip' }, 400, 3, /gzip that is whole/],
      [packed, { 'content-encoding': 'br' }, 415, 3, /gzip or without/],
      [whole, { 'content-type': 'text/plain' }, 415, 3, /application\/json/],
      [whole, { 'x-api-key': 'none' }, 401, 16, /key/],
      [whole, { accept: 'text/html' }, 406, 3, /application\/json/],
      [
        gzipSync(Buffer.alloc(ingestLimits.bodyBytes + 1, ' ')),
        { 'content-encoding': 'gzip' },
        413,
        8,
        /inflated/,
      ],
    ]
    for (const [body, headers, status, code, detail] of cases) {
      const answer = await post(body, headers)
      assert.equal(answer.status, status, answer.text)
      assert.equal(answer.json.code, code)
      assert.equal(answer.json.message, answer.json.detail)
      assert.match(String(answer.json.message), detail)
      assert.ok(Array.isArray(answer.json.errors))
    }
    assert.equal(world.contents(), untouched)
    assert.deepEqual(world.incidents, [])
  })

  test('points to what is wrong', async () => {
    const answer = await post(exportOf(span(41), span(42, { attributes: [{ key: 1 }] })))
    const [fault] = answer.json.errors as readonly { readonly pointer: string }[]
    assert.equal(fault?.pointer, '/resourceSpans/0/scopeSpans/0/spans/1/attributes/0/key')
    assert.equal(codeOf(answer), 'invalid_request')
  })
})

test('the rate of a key is told, with the seconds to wait, whatever else is wrong', async () => {
  const world = await openWorld({ perMinute: 2 })
  try {
    const ask = () =>
      world.call({
        host: 'ingest',
        method: 'POST',
        path: '/v1/ingest/otlp',
        as: world.home.app.ingest,
        body: exportOf(),
      })
    assert.deepEqual([(await ask()).status, (await ask()).status], [200, 200])
    const { status, headers, json } = await ask()
    assert.deepEqual([status, json.code, codeOf({ json })], [429, 8, 'rate_limited'])
    assert.equal(headers['retry-after'], '60')
    assert.deepEqual([headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']], ['2', '0'])
    await world.clock.advance(60_000)
    assert.equal((await ask()).status, 200)
  } finally {
    await world.close()
  }
})
