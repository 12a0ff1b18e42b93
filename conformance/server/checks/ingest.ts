import { gzipSync } from 'node:zlib'
import { expect, expectEqual } from '../../assert.ts'
import { canonicalText } from '../../canonical.ts'
import { leafOf } from '../../merkle.ts'
import { group } from '../check.ts'
import type { HttpAnswer } from '../http.ts'
import { protobufOf } from '../otlp-protobuf.ts'
import {
  exportOf,
  fresh,
  sendSpan,
  sessionPath,
  spanOf,
  submissionOf,
  submit,
  wholeSession,
} from '../spans.ts'
import { type Body, granted, refused, type World } from '../world.ts'

const otlp = '/v1/ingest/otlp'
const submissions = '/v1/ingest/sessions'
const usage = '/v1/ingest/usage'

const protobuf = 'application/x-protobuf'

function postProtobuf({ backend }: World, body: Buffer, path = otlp): Promise<HttpAnswer> {
  return backend.ask({ method: 'POST', path, body, headers: { 'content-type': protobuf } })
}

/** Two steps of a session with values of each kind, ids that no other run has aside. */
function richSpans(now: number, sessionId: string): readonly object[] {
  const one = spanOf(now, { sessionId, subject: 'conformance', tool: 'pay', input: 'how much?' })
  const two = spanOf(now, { sessionId, root: false, failed: true })
  const attributes = [
    { key: 'gen_ai.usage.input_tokens', value: { intValue: '300' } },
    { key: 'below.zero', value: { intValue: '-7' } },
    { key: 'half', value: { doubleValue: 0.5 } },
    { key: 'sure', value: { boolValue: true } },
    { key: 'list', value: { arrayValue: { values: [{ stringValue: 'é' }, { intValue: '2' }] } } },
    {
      key: 'map',
      value: { kvlistValue: { values: [{ key: 'a', value: { stringValue: '€' } }] } },
    },
  ]
  return [one, two].map(({ span }) => ({
    ...span,
    kind: 3,
    attributes: [...('attributes' in span ? (span.attributes as object[]) : []), ...attributes],
  }))
}

/** A session and its steps as they are read, without ids and what follows from the time of their arrival. */
async function recordedOf(world: World, sessionId: string): Promise<readonly Body[]> {
  const session = granted(await world.reviewer.get(sessionPath(world, sessionId)))
  const listed = granted(await world.reviewer.get(sessionPath(world, sessionId, '/steps')))
  const steps: Body[] = []
  for (const { stepId } of listed.steps as readonly Body[])
    steps.push(granted(await world.reviewer.get(sessionPath(world, sessionId, `/steps/${stepId}`))))
  const told = [session, ...steps].map((row) => {
    const { sessionId: _, stepId: __, parentStepId: ___, payload, ...rest } = row
    // Each content has a nonce of its own.
    const { nonces: ____, ...content } = (payload ?? {}) as Body
    const kept = Object.entries({ ...rest, content }).filter(
      ([name]) => !/received|removeAfter/i.test(name),
    )
    // The attributes have the id too.
    return canonicalText(Object.fromEntries(kept)).replaceAll(sessionId, 'this session')
  })
  return told.sort().map((text) => JSON.parse(text) as Body)
}

export const ingestChecks = group('ingest', 'interface, OTLP export; Submission', [
  {
    name: 'otlp',
    promise: 'spans become steps of their session, each once however often it is sent, in gzip too',
    needs: ['customerKey'],
    run: async (world) => {
      const sessionId = fresh('conformance')
      const now = await world.clock.now()
      const [one, two] = [1, 2].map(() => spanOf(now, { sessionId, tool: 'pay' }))
      const sent = exportOf(one?.span ?? {}, two?.span ?? {})
      expectEqual(granted(await world.backend.post(otlp, sent)), {}, 'the answer to an export')
      expectEqual(granted(await world.backend.post(otlp, sent)), {}, 'the answer to a repeat')
      const third = spanOf(now, { sessionId, failed: true })
      granted(
        await world.backend.ask({
          method: 'POST',
          path: otlp,
          body: gzipSync(JSON.stringify(exportOf(third.span))),
          headers: { 'content-encoding': 'gzip' },
        }),
      )
      const session = granted(await world.reviewer.get(sessionPath(world, sessionId)))
      expectEqual(
        [session.origin, session.status, session.stepCount, session.errorCount],
        ['otlp', 'running', 3, 1],
        'origin, status, steps and errors',
      )
    },
  },
  {
    name: 'otlp-partial',
    promise: 'spans that can not be taken are counted, and the others are taken',
    needs: ['customerKey'],
    run: async (world) => {
      const sessionId = fresh('conformance')
      const now = await world.clock.now()
      const right = spanOf(now, { sessionId })
      const reversed = { ...spanOf(now, { sessionId }).span, endTimeUnixNano: '1' }
      const nameless = { ...spanOf(now, { sessionId }).span, traceId: 'x' }
      const answer = granted(
        await world.backend.post(otlp, exportOf(reversed, right.span, nameless)),
      )
      const told = answer.partialSuccess as Body | undefined
      expectEqual(told?.rejectedSpans, '2', 'rejectedSpans')
      expect(String(told?.errorMessage) !== '', 'expected a message of the reasons')
      const session = granted(await world.reviewer.get(sessionPath(world, sessionId)))
      expectEqual(session.stepCount, 1, 'steps that were taken')
      const broken = await world.backend.post(otlp, { resourceSpans: 7 })
      expectEqual(broken.status, 400, 'the status for what is no export')
      expect(
        typeof broken.body.code === 'number' && typeof broken.body.message === 'string',
        `expected code and message of google.rpc.Status, got ${broken.text}`,
      )
    },
  },
  {
    name: 'otlp-protobuf',
    promise:
      'an export in protobuf, at the path that exporters append too, gives what it gives in JSON',
    needs: ['customerKey'],
    run: async (world) => {
      const now = await world.clock.now()
      const exportIn = (sessionId: string) => exportOf(...richSpans(now, sessionId))
      const [inJson, inProtobuf] = [fresh('conformance'), fresh('conformance')]
      granted(await world.backend.post(otlp, exportIn(inJson)))
      const sent = protobufOf(exportIn(inProtobuf))
      for (const path of [otlp, `${otlp}/v1/traces`]) {
        const taken = await postProtobuf(world, sent, path)
        expectEqual(
          [taken.status, taken.headers['content-type'], taken.bytes.length],
          [200, protobuf, 0],
          `status, type and bytes of the answer at ${path}`,
        )
      }
      expectEqual(
        await recordedOf(world, inProtobuf),
        await recordedOf(world, inJson),
        'the session of an export in protobuf beside that of the same in JSON',
      )
    },
  },
  {
    name: 'otlp-protobuf-refused',
    promise: 'what is no message is 400 as a whole, in protobuf, and nothing of it is taken',
    needs: ['customerKey'],
    run: async (world) => {
      const sessionId = fresh('conformance')
      const sent = protobufOf(exportOf(spanOf(await world.clock.now(), { sessionId }).span))
      const group = Buffer.from([0x0b, 0x0c])
      for (const [body, what] of [
        [sent.subarray(0, -1), 'bytes that end too early'],
        [Buffer.concat([sent, group]), 'a group'],
        [Buffer.from('{"resourceSpans":[]}'), 'JSON under the type of protobuf'],
      ] as const) {
        const answer = await postProtobuf(world, body)
        expectEqual(
          [answer.status, answer.headers['content-type']],
          [400, protobuf],
          `status and type of the answer to ${what}`,
        )
        // google.rpc.Status: its code comes first, 3 for an invalid argument.
        expectEqual([...answer.bytes.subarray(0, 2)], [0x08, 3], `the code for ${what}`)
      }
      refused(await world.reviewer.get(sessionPath(world, sessionId)), 404, 'not_found')
      const none = await postProtobuf(world, Buffer.alloc(0))
      expectEqual([none.status, none.bytes.length], [200, 0], 'the answer to an empty message')
    },
  },
  {
    name: 'submission',
    promise:
      'a batch under its Merkle root is taken whole, and answers the same when it comes again',
    needs: ['customerKey'],
    run: async (world) => {
      const now = await world.clock.now()
      const sessions = [
        wholeSession(now),
        wholeSession(now, { metadata: { b: 1, a: [true, null] } }),
      ]
      const sent = submissionOf(sessions)
      const batch = granted(await world.backend.post(submissions, sent))
      expectEqual(
        [batch.merkleRoot, batch.treeSize, batch.accepted, batch.duplicates],
        [sent.merkleRoot, 2, 2, 0],
        'root, size, accepted and duplicates',
      )
      const leaves = (batch.sessions as readonly Body[]).map(({ leafHash }) => leafHash)
      expectEqual(
        leaves,
        sessions.map((one) => leafOf(canonicalText(one))),
        'the leaves',
      )
      expectEqual(
        granted(await world.backend.post(submissions, sent)),
        batch,
        'the same batch again',
      )
      const read = `/v1/ingest/batches/${String(sent.batchId)}`
      expectEqual(granted(await world.backend.get(read)), batch, 'the batch as it is read')
      refused(await world.backend.get('/v1/ingest/batches/none'), 404, 'not_found')
      const again = granted(await world.backend.post(submissions, submissionOf(sessions)))
      expectEqual([again.accepted, again.duplicates], [0, 2], 'the same sessions in another batch')
    },
  },
  {
    name: 'submission-refused',
    promise:
      'another root, other content of a session, or of a batch, is refused, and nothing is stored',
    needs: ['customerKey'],
    run: async (world) => {
      const now = await world.clock.now()
      const session = wholeSession(now)
      const sent = submissionOf([session])
      const forged = { ...sent, merkleRoot: '0'.repeat(64) }
      const answer = await world.backend.post(submissions, forged)
      refused(answer, 422, 'merkle_root_mismatch')
      expectEqual(
        [answer.body.expected, answer.body.computed],
        [forged.merkleRoot, sent.merkleRoot],
        'expected and computed',
      )
      const path = sessionPath(world, String(session.sessionId))
      refused(await world.reviewer.get(path), 404, 'not_found')
      granted(await world.backend.post(submissions, sent))
      const other = { ...session, status: 'failed' }
      const conflict = await world.backend.post(submissions, submissionOf([other]))
      refused(conflict, 409, 'session_conflict')
      const batchId = String(sent.batchId)
      const elsewhere = submissionOf([wholeSession(now)], batchId)
      refused(await world.backend.post(submissions, elsewhere), 409, 'idempotency_conflict')
      const spans = await sendSpan(world)
      const known = submissionOf([wholeSession(now, { sessionId: spans.sessionId })])
      refused(await world.backend.post(submissions, known), 409, 'session_conflict')
      refused(await world.backend.post(submissions, { ...sent, sessions: [] }), 400)
    },
  },
  {
    name: 'usage',
    promise: 'a key is told its limits, and a session counts once in the month',
    needs: ['customerKey'],
    run: async (world) => {
      const before = granted(await world.backend.get(usage))
      expectEqual(before.applicationId, world.target.applicationId, 'applicationId')
      const { sessionId } = await sendSpan(world)
      await sendSpan(world, { sessionId })
      await submit(world, wholeSession(await world.clock.now()))
      const after = granted(await world.backend.get(usage))
      expectEqual(after.sessionsUsed, Number(before.sessionsUsed) + 2, 'sessionsUsed')
      expect(Number(after.ratePerMinute) > 0, `expected ratePerMinute, got ${after.ratePerMinute}`)
    },
  },
  {
    name: 'credentials',
    promise:
      'customer keys ingest and open no case; application keys open cases and ingest nothing',
    needs: ['customerKey'],
    run: async (world) => {
      const sent = exportOf(spanOf(await world.clock.now(), {}).span)
      const path = otlp
      expectEqual((await world.nobody.ingest.post(path, sent)).status, 401, 'without a key')
      expectEqual((await world.application.post(path, sent)).status, 403, 'an application key')
      refused(await world.application.get(usage), 403)
      refused(await world.backend.get('/v1/review-cases/rc_00000000000000000000000000'), 403)
      const sandbox = { 'x-service-sandbox': 'true' }
      expectEqual((await world.backend.post(path, sent, sandbox)).status, 403, 'in the sandbox')
    },
  },
])
