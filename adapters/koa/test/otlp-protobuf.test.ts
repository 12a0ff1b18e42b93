import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { ingestLimits } from '@countersign/core/ledger'
import { openWorld, type World } from './world.ts'

const protobuf = 'application/x-protobuf'

/** A message of these fields: a number is a varint, all else has its length before it. */
function message(fields: readonly (readonly [number, string | number | Uint8Array])[]) {
  const writer = new BinaryWriter()
  for (const [number, value] of fields) {
    if (typeof value === 'number') writer.tag(number, WireType.Varint).uint32(value)
    else if (typeof value === 'string') writer.tag(number, WireType.LengthDelimited).string(value)
    else writer.tag(number, WireType.LengthDelimited).bytes(value)
  }
  return writer.finish()
}
const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))
const attribute = (key: string, value: string) =>
  message([
    [1, key],
    [2, message([[1, value]])],
  ])
const times = (startMs: number, endMs: number) =>
  new BinaryWriter()
    .tag(7, WireType.Bit64)
    .fixed64(BigInt(startMs) * 1_000_000n)
    .tag(8, WireType.Bit64)
    .fixed64(BigInt(endMs) * 1_000_000n)
    .finish()
const joined = (...parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts))
const begin = Date.UTC(2026, 0, 1)
const span = (spanId: number, session: string, ended: number = begin + 5) =>
  joined(
    message([
      [1, hex('ff0068b06e945e4f55aa3d884f3216e8')],
      [2, hex(spanId.toString(16).padStart(16, '0'))],
      [5, 'chat'],
      [9, attribute('session.id', session)],
      [9, attribute('gen_ai.prompt.0.content', 'secret question')],
      [9, attribute('gen_ai.operation.name', 'chat')],
    ]),
    times(begin, ended),
  )
const exportOf = (...spans: readonly Uint8Array[]) =>
  message([[1, message([[2, message(spans.map((each) => [2, each]))]])]])

/** The fields of a message, by number: numbers as they are, all else as bytes. */
function fieldsOf(bytes: Uint8Array): ReadonlyMap<number, readonly (number | Uint8Array)[]> {
  const fields = new Map<number, (number | Uint8Array)[]>()
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag()
    const value = wire === WireType.Varint ? reader.uint32() : reader.bytes()
    fields.set(number, [...(fields.get(number) ?? []), value])
  }
  return fields
}
const textOf = (value: unknown) => Buffer.from((value as Uint8Array | undefined) ?? []).toString()

describe('POST /v1/ingest/otlp in protobuf', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  const post = (
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
    path = '/v1/ingest/otlp',
  ) =>
    world.call({
      host: 'ingest',
      method: 'POST',
      path,
      as: world.home.app.ingest,
      body,
      headers: { 'content-type': protobuf, ...headers },
    })
  const stepsOf = async (sessionId: string) => {
    const read = await world.service.sessions.listSteps(world.home.admin.actor, {
      sessionId,
      page: 1,
      pageSize: 100,
    })
    return read.ok ? read.value.totalCount : 0
  }

  test('takes an export, in gzip, in chunks, at the path that exporters append, and answers with no bytes', async () => {
    const packed = gzipSync(exportOf(span(2, 's-1'), span(3, 's-1')))
    const answers = [
      await post(exportOf(span(1, 's-1'), span(2, 's-1'))),
      await post(packed, { 'content-encoding': 'gzip' }),
      await post(packed, { 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' }),
      await post(exportOf(span(4, 's-1')), {}, '/v1/ingest/otlp/v1/traces'),
      await post(exportOf(span(4, 's-1')), { 'content-type': 'Application/X-Protobuf' }),
      await post(new Uint8Array()),
      await post(exportOf()),
    ]
    for (const { status, headers, bytes } of answers) {
      assert.deepEqual(
        [status, headers['content-type'], bytes?.length],
        [200, protobuf, 0],
        textOf(bytes),
      )
    }
    assert.equal(await stepsOf('s-1'), 4)
    assert.equal(world.contents().includes('secret question'), false, 'content lies in a row')
  })

  test('tells which spans it did not take, and takes the others', async () => {
    const {
      status,
      headers,
      bytes = new Uint8Array(),
    } = await post(exportOf(span(0, 's-2'), span(21, 's-2'), span(22, 's-2', begin - 1)))
    assert.deepEqual([status, headers['content-type']], [200, protobuf])
    const [partial] = fieldsOf(bytes).get(1) ?? []
    const told = fieldsOf(partial as Uint8Array)
    assert.deepEqual(told.get(1), [2])
    assert.equal(
      textOf(told.get(2)?.[0]),
      'spans rejected: 1 trace id, span id or another id malformed; 1 start or end missing or reversed',
    )
    assert.equal(await stepsOf('s-2'), 1)
  })

  test('refuses as google.rpc.Status in protobuf, and nothing is written', async () => {
    const untouched = world.contents()
    const whole = exportOf(span(31, 's-3'))
    const packed = gzipSync(whole)
    const cases: readonly [
      unknown,
      Readonly<Record<string, string>>,
      number,
      number,
      string,
      RegExp,
    ][] = [
      [whole.subarray(0, -1), {}, 400, 3, 'INVALID_REQUEST', /ends before/],
      ['{"resourceSpans":[]}', {}, 400, 3, 'INVALID_REQUEST', /protobuf/],
      [packed, {}, 400, 3, 'INVALID_REQUEST', /protobuf/],
      [whole, { 'content-encoding': 'gzip' }, 400, 3, 'INVALID_REQUEST', /gzip that is whole/],
      [whole, { 'content-encoding': 'br' }, 415, 3, 'UNSUPPORTED_MEDIA_TYPE', /gzip/],
      [whole, { 'x-api-key': 'none' }, 401, 16, 'AUTHENTICATION_REQUIRED', /key/],
      [whole, { accept: 'text/html' }, 406, 3, 'NOT_ACCEPTABLE', /x-protobuf/],
      [
        gzipSync(Buffer.alloc(ingestLimits.bodyBytes + 1, ' ')),
        { 'content-encoding': 'gzip' },
        413,
        8,
        'BODY_TOO_LARGE',
        /inflated/,
      ],
    ]
    for (const [body, sent, status, code, reason, detail] of cases) {
      const answer = await post(body, sent)
      assert.deepEqual([answer.status, answer.headers['content-type']], [status, protobuf], reason)
      const told = fieldsOf(answer.bytes ?? new Uint8Array())
      assert.deepEqual(told.get(1), [code])
      assert.match(textOf(told.get(2)?.[0]), detail)
      const [info] = (told.get(3) ?? []).map((each) => fieldsOf(each as Uint8Array))
      assert.equal(textOf(info?.get(1)?.[0]), 'type.googleapis.com/google.rpc.ErrorInfo')
      const named = fieldsOf(info?.get(2)?.[0] as Uint8Array)
      assert.deepEqual(
        [textOf(named.get(1)?.[0]), textOf(named.get(2)?.[0])],
        [reason, 'countersign'],
      )
    }
    assert.equal(world.contents(), untouched)
    assert.deepEqual(world.incidents, [])
  })

  test('points to what is wrong', async () => {
    const twice = joined(span(42, 's-3'), message([[5, 'again']]))
    const { bytes = new Uint8Array() } = await post(exportOf(span(41, 's-3'), twice))
    const details = (fieldsOf(bytes).get(3) ?? []).map((each) => fieldsOf(each as Uint8Array))
    const bad = details.find((each) => textOf(each.get(1)?.[0]).endsWith('google.rpc.BadRequest'))
    const [violation] = fieldsOf(bad?.get(2)?.[0] as Uint8Array).get(1) ?? []
    const told = fieldsOf(violation as Uint8Array)
    assert.equal(textOf(told.get(1)?.[0]), '/resourceSpans/0/scopeSpans/0/spans/1/name')
    assert.match(textOf(told.get(2)?.[0]), /once/)
  })
})
