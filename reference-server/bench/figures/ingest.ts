import { randomBytes } from 'node:crypto'
import { Pool } from 'undici'
import { type Child, startChild } from '../child.ts'
import type { Blocks, Ready } from '../children/ingest.ts'
import { type Bench, inTurn, type Measure, rateOf, rowOf } from '../figure.ts'
import { inProtobuf } from '../trace-proto.ts'

/** Spans of one export, as the SDKs send them by default, and exports under way at once. */
const batch = 512
const atOnce = 4
/** Spans that fill an export of 16 MiB. */
const large = 9_000
const spansPerSession = 256

const attribute = (key: string, value: object) => ({ key, value })

/** A step that asks a model: about 1.6 KB, half of it content. */
function span(traceId: string) {
  return {
    traceId,
    spanId: randomBytes(8).toString('hex'),
    parentSpanId: '110baa9eb60c2db2',
    name: 'chat gpt-4o',
    kind: 3,
    startTimeUnixNano: '1795177744486000000',
    endTimeUnixNano: '1795177744986206675',
    attributes: [
      attribute('gen_ai.operation.name', { stringValue: 'chat' }),
      attribute('gen_ai.request.model', { stringValue: 'gpt-4o' }),
      attribute('gen_ai.usage.input_tokens', { intValue: 12 }),
      attribute('gen_ai.usage.output_tokens', { intValue: 120 }),
      attribute('gen_ai.request.temperature', { doubleValue: 0.5 }),
      attribute('session.id', { stringValue: `session ${traceId}` }),
      attribute('user.id', { stringValue: 'customer-77' }),
      attribute('input.value', { stringValue: 'What is the weather in Berlin? '.repeat(14) }),
      attribute('output.value', { stringValue: 'It is sunny. '.repeat(30) }),
    ],
    droppedAttributesCount: 0,
    events: [],
    status: { code: 0 },
    links: [],
  }
}

type Encoding = 'json' | 'protobuf'
const typeOf = { json: 'application/json', protobuf: 'application/x-protobuf' } as const

/** An export of so many spans. */
function exportOf(
  count: number,
  perSession: number = spansPerSession,
  encoding: Encoding = 'json',
): Uint8Array {
  let traceId = ''
  const spans = Array.from({ length: count }, (_, at) => {
    if (at % perSession === 0) traceId = randomBytes(16).toString('hex')
    return span(traceId)
  })
  const resource = { attributes: [attribute('service.name', { stringValue: 'bench' })] }
  if (encoding === 'protobuf') return inProtobuf(spans, { resource })
  const scope = { name: 'bench', version: '1.0.0' }
  const json = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] })
  return Buffer.from(json)
}

function sender(port: number, key: string) {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: atOnce })
  return {
    async send(body: Uint8Array, encoding: Encoding = 'json'): Promise<void> {
      const headers = { 'content-type': typeOf[encoding], 'x-api-key': key }
      const answer = await pool.request({ path: '/v1/ingest/otlp', method: 'POST', headers, body })
      const said = await answer.body.text()
      if (answer.statusCode !== 200 || said !== (encoding === 'json' ? '{}' : ''))
        throw new Error(`answered ${answer.statusCode}: ${said}`)
    },
    close: () => pool.destroy(),
  }
}

type Sender = ReturnType<typeof sender>

/** Spans a second. Bodies are made before the time is taken. */
async function spansPerSecond(to: Sender, exports: number, encoding: Encoding): Promise<number> {
  const bodies = Array.from({ length: exports }, () => exportOf(batch, spansPerSession, encoding))
  const send = (at: number) => to.send(bodies[at] ?? new Uint8Array(), encoding)
  return batch * (await rateOf(exports, atOnce, send))
}

async function ratio({ scale }: Bench, own: Sender, bare: Sender, encoding: Encoding) {
  const exports = scale.quick ? 8 : 24
  await spansPerSecond(own, exports, encoding)
  await spansPerSecond(bare, exports, encoding)
  return inTurn(scale.rounds, async () => {
    const before = await spansPerSecond(bare, exports, encoding)
    const taken = await spansPerSecond(own, exports, encoding)
    const other = (before + (await spansPerSecond(bare, exports, encoding))) / 2
    return { figure: taken / other, spansPerSecond: taken, barePerSecond: other }
  })
}

async function blocks({ scale }: Bench, server: Child<Ready>, own: Sender) {
  return inTurn(scale.rounds, async () => {
    const body = exportOf(large, 1_000)
    await server.ask<Blocks>('reset')
    const start = performance.now()
    await own.send(body)
    const answeredMs = performance.now() - start
    const { blockMs, cpuMs } = await server.ask<Blocks>('longest')
    return { figure: blockMs, cpuMs, answeredMs, megabytes: body.length / 1e6 }
  })
}

export const ingest: Measure = {
  figures: ['ingest.otlp.ratio', 'ingest.otlp.protobufRatio', 'ingest.blockMs'],
  async run(bench) {
    const { stage } = bench
    const server = await startChild<Ready>('ingest', { directory: stage.directory('ingest') })
    const other = await startChild<number>('bare-ingest', { directory: stage.directory('bare') })
    const own = sender(server.ready.port, server.ready.key)
    const bare = sender(other.ready, '')
    const inJson = await ratio(bench, own, bare, 'json')
    const encoded = await ratio(bench, own, bare, 'protobuf')
    const blocked = await blocks(bench, server, own)
    await Promise.all([own.close(), bare.close()])
    await Promise.all([server.stop(), other.stop()])
    return [
      rowOf(
        {
          figure: 'ingest.otlp.ratio',
          target: { is: 'least', reach: 0.5, aim: 0.6 },
          how: `spans a second over POST /v1/ingest/otlp of the composed server ÷ a bare server that parses and inserts a row a span into the same table, with its indexes, in one transaction; ${batch} spans an export, ${spansPerSession} a session, ${atOnce} exports at once, plain http, FULL`,
        },
        inJson,
      ),
      rowOf(
        {
          figure: 'ingest.otlp.protobufRatio',
          target: { is: 'least', reach: 0.5, aim: 0.6 },
          how: 'the same in protobuf, which the bare server decodes by protobufjs',
        },
        encoded,
      ),
      rowOf(
        {
          figure: 'ingest.blockMs',
          target: { is: 'most', reach: 100, aim: 50 },
          how: `longest block of the event loop, ms, while one export of ${large} spans is taken; cpuMs is what one turn of the loop took of the processor`,
        },
        blocked,
      ),
    ]
  },
}
