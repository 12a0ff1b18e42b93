import { gzipSync } from 'node:zlib'
import { expect, expectEqual } from '../../assert.ts'
import { canonicalText } from '../../canonical.ts'
import { leafOf } from '../../merkle.ts'
import { group } from '../check.ts'
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
import { type Body, granted, refused } from '../world.ts'

const otlp = '/v1/ingest/otlp'
const submissions = '/v1/ingest/sessions'
const usage = '/v1/ingest/usage'

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
