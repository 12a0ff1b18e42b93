import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import { bundles } from '../../content/payload-records.ts'
import { sessions, steps } from '../../content/records.ts'
import { sessionAliases, traces } from '../../content/trace-records.ts'
import { ingestLimits } from '../../kernel/ledger/limits.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { reviewCases } from '../../review/records.ts'
import { createWorld, send, setPlan, span, spanOf, start, traceOf } from './world.ts'

const minute = 60_000

describe('spans', () => {
  it('become steps of a session that a member reads', async () => {
    const world = await createWorld()
    const { service, admin, owner } = world
    const outcome = unwrap(
      await send(
        world,
        span({
          spanId: spanOf(2),
          parentSpanId: spanOf(1),
          type: 'llm',
          model: 'm-1',
          inputTokens: 3,
          outputTokens: 4,
          startedAt: start + 10,
          endedAt: start + 500,
          input: { ask: 'Für Ada' },
          output: 'Yes',
          attributes: { note: 'private', n: 1 },
        }),
        span({
          agent: { name: 'claims', version: '2' },
          dataSubjectId: 'ada@example.com',
          status: 'error',
        }),
      ),
    )
    assert.deepEqual(outcome, { accepted: 2, rejected: {} })
    const session = unwrap(await service.sessions.read(admin, { sessionId: 'session-1' }))
    const { dataSubjectId, place: _, ...rest } = { place: '', ...session }
    assert.match(dataSubjectId ?? '', /^sub_/)
    assert.deepEqual(rest, {
      sessionId: 'session-1',
      applicationId: owner.applicationId,
      origin: 'otlp',
      status: 'running',
      startedAt: '2026-01-01T00:00:00.000Z',
      endedAt: null,
      durationMs: null,
      agent: { name: 'claims', version: '2' },
      models: ['m-1'],
      metadata: null,
      stepCount: 2,
      errorCount: 1,
      inputTokens: 3,
      outputTokens: 4,
      qualityScore: null,
      openFlags: 0,
      openReviewCases: 0,
      reviewState: null,
      revision: 1,
      sealed: null,
      payloadStatus: 'readable',
      incompleteAtSource: false,
      receivedAt: '2026-01-01T00:00:00.000Z',
      completedAt: null,
      removeAfter: '2027-01-01T00:00:00.000Z',
    })
    const stepId = `${traceOf(1)}-${spanOf(2)}`
    const step = unwrap(await service.sessions.readStep(admin, { sessionId: 'session-1', stepId }))
    assert.deepEqual(
      step.payload && { ...step.payload, nonces: Object.keys(step.payload.nonces) },
      {
        input: { ask: 'Für Ada' },
        output: 'Yes',
        attributes: { note: 'private', n: 1 },
        nonces: ['input', 'output', 'attributes'],
      },
    )
    assert.equal(step.parentStepId, `${traceOf(1)}-${spanOf(1)}`)
  })

  it('leave no content and no raw subject outside of the sealed bundle', async () => {
    const world = await createWorld()
    unwrap(
      await send(
        world,
        span({
          dataSubjectId: 'ada@example.com',
          input: 'the secret text',
          attributes: { hidden: 'in here' },
        }),
      ),
    )
    const rows = JSON.stringify([
      world.rows(sessions),
      world.rows(steps),
      world.rows(bundles),
      world.rows(traces),
    ])
    for (const text of ['ada@example.com', 'secret text', 'in here'])
      assert.ok(!rows.includes(text))
    assert.equal(world.rows(bundles).length, 1)
    assert.equal(world.rows(steps)[0]?.subject, world.rows(sessions)[0]?.dataSubjectId)
  })

  it('are stored once, however often and in whatever company they come', async () => {
    const world = await createWorld()
    const first = span({ input: 'a' })
    const second = span({ spanId: spanOf(2), parentSpanId: spanOf(1) })
    unwrap(await send(world, first, first))
    const before = world.rows(steps)
    const blobs = world.rows(bundles)
    assert.deepEqual(unwrap(await send(world, first)), { accepted: 1, rejected: {} })
    assert.deepEqual(unwrap(await send(world, second, first)), { accepted: 2, rejected: {} })
    assert.deepEqual(world.rows(steps)[0], before[0])
    assert.equal(world.rows(steps).length, 2)
    assert.deepEqual(world.rows(bundles), blobs)
    assert.equal(world.rows(sessions)[0]?.tally.steps, 2)
  })

  it('make the same session in whatever order and division they come', async () => {
    const spans = Array.from({ length: 6 }, (_, at) =>
      span({
        spanId: spanOf(at + 1),
        parentSpanId: at === 0 ? null : spanOf(1),
        startedAt: start + at * 10,
        endedAt: start + 100 + at,
        dataSubjectId: at % 2 ? `subject-${at}` : null,
        agent: at > 1 ? { name: `agent-${at}`, version: null } : null,
        scores: [{ name: 's', value: at / 10, label: null }],
      }),
    )
    const whole = await createWorld()
    unwrap(await send(whole, ...spans))
    const pieces = await createWorld()
    for (const each of spans.toReversed()) unwrap(await send(pieces, each))
    const told = (world: typeof whole) =>
      world
        .rows(sessions)
        .map(({ startedAt, endedAt, dataSubjectId, agent, tally, place, rootEnded }) => ({
          startedAt,
          endedAt,
          known: dataSubjectId !== null,
          agent,
          steps: tally.steps,
          sum: tally.scoreSum.toFixed(6),
          place: place.slice(0, 10),
          rootEnded,
        }))
    assert.deepEqual(told(pieces), told(whole))
    assert.equal(told(whole)[0]?.agent?.name, 'agent-2')
  })

  it('beyond what a session takes are rejected', async () => {
    const world = await createWorld()
    unwrap(await send(world, span()))
    const [was] = world.store.rows(sessions)
    assert.ok(was)
    const steps = ingestLimits.stepsPerSession - 1
    const full = { ...was.row, tally: { ...was.row.tally, steps } }
    await world.store.commit({ tenant: null, puts: [put(sessions, full, was)] })
    const more = [2, 3, 4].map((number) => span({ spanId: spanOf(number) }))
    assert.deepEqual(unwrap(await send(world, span(), ...more)), {
      accepted: 2,
      rejected: { session_full: 2 },
    })
    assert.deepEqual(unwrap(await send(world, ...more.slice(1))), {
      accepted: 0,
      rejected: { session_full: 2 },
    })
  })

  it('of a tenant without quota left are rejected, those of known sessions taken', async () => {
    const world = await createWorld({ plan: 'Builder' })
    for (let at = 0; at < 400; at += 100) {
      const spans = Array.from({ length: 100 }, (_, n) =>
        span({ traceId: traceOf(at + n + 1), sessionId: `s-${at + n}` }),
      )
      unwrap(await send(world, ...spans))
    }
    // One export with more than there is room for, whose sessions are at work beside each other.
    const last = Array.from({ length: 130 }, (_, n) =>
      span({ traceId: traceOf(401 + n), sessionId: `s-${400 + n}` }),
    )
    const part = unwrap(await send(world, ...last))
    assert.deepEqual(part, { accepted: 100, rejected: { over_quota: 30 } })
    const usage = unwrap(await world.service.ingest.usage(world.key, {}))
    assert.deepEqual(
      [usage.sessionsUsed, usage.sessionsPerMonth, usage.periodEnd],
      [500, 500, '2026-02-01T00:00:00.000Z'],
    )
    const over = await send(world, span({ traceId: traceOf(9_999), sessionId: 'new' }))
    assert.ok(!over.ok)
    assert.equal(over.refusal.code, 'quota_exceeded')
    assert.deepEqual(over.refusal.facts, {
      quota: { limit: 500, used: 500, periodEnd: '2026-02-01T00:00:00.000Z' },
    })
    const mixed = unwrap(
      await send(
        world,
        span({ traceId: traceOf(9_999), sessionId: 'new' }),
        span({ traceId: traceOf(1), spanId: spanOf(7), sessionId: 's-0' }),
      ),
    )
    assert.deepEqual(mixed, { accepted: 1, rejected: { over_quota: 1 } })
    await setPlan(world, 'Team')
    unwrap(await send(world, span({ traceId: traceOf(9_999), sessionId: 'new' })))
    assert.equal(world.rows(sessions).length, 501)
  })

  it('are refused from a management key, an application and a member', async () => {
    const world = await createWorld()
    for (const actor of [
      { ...world.key, type: 'management' as const },
      { kind: 'application' as const, ...world.owner, keyId: 'key_1' },
      world.admin,
    ]) {
      const refused = await world.service.ingest.acceptSpans(actor, {
        spans: [span()],
        rejected: {},
      })
      assert.ok(!refused.ok)
      assert.equal(refused.refusal.code, 'forbidden')
    }
  })
})

describe('the session of a span', () => {
  it('is that of a sibling in the same export, in a later one, else its trace', async () => {
    const world = await createWorld()
    unwrap(
      await send(
        world,
        span({ sessionId: null, traceId: traceOf(5), spanId: spanOf(2), parentSpanId: spanOf(1) }),
      ),
    )
    assert.deepEqual(
      world.rows(sessions).map(({ sessionId }) => sessionId),
      [traceOf(5)],
    )
    unwrap(
      await send(
        world,
        span({ sessionId: null, traceId: traceOf(5), spanId: spanOf(3), parentSpanId: spanOf(1) }),
        span({ sessionId: 'named', traceId: traceOf(5) }),
      ),
    )
    await world.pass(10)
    assert.deepEqual(
      world.rows(sessions).map(({ sessionId, tally }) => [sessionId, tally.steps]),
      [['named', 3]],
    )
    assert.ok(world.rows(steps).every(({ sessionId }) => sessionId === 'named'))
    unwrap(await send(world, span({ sessionId: null, traceId: traceOf(5), spanId: spanOf(4) })))
    assert.equal(world.rows(sessions)[0]?.tally.steps, 4)
    // The dissolved session's id leads to the other, and only one of them counts.
    const read = unwrap(await world.service.sessions.read(world.admin, { sessionId: traceOf(5) }))
    assert.equal(read.sessionId, 'named')
    assert.equal(unwrap(await world.service.ingest.usage(world.key, {})).sessionsUsed, 1)
    assert.equal(world.rows(sessionAliases).length, 1)
  })

  it('moves in pieces when it has many steps, each once, and its content stays readable', async () => {
    const world = await createWorld()
    const many = Array.from({ length: 450 }, (_, at) =>
      span({
        sessionId: null,
        traceId: traceOf(6),
        spanId: spanOf(at + 2),
        parentSpanId: spanOf(1),
        input: `text ${at}`,
      }),
    )
    unwrap(await send(world, ...many))
    unwrap(await send(world, span({ sessionId: 'named', traceId: traceOf(6) })))
    await world.pass(100)
    assert.deepEqual(
      world.rows(sessions).map(({ sessionId, tally }) => [sessionId, tally.steps]),
      [['named', 451]],
    )
    const step = unwrap(
      await world.service.sessions.readStep(world.admin, {
        sessionId: 'named',
        stepId: `${traceOf(6)}-${spanOf(9)}`,
      }),
    )
    assert.equal(step.payload?.input, 'text 7')
    assert.ok(world.rows(bundles).every(({ sessionId }) => sessionId === 'named'))
  })
})

describe('a policy result of the application itself', () => {
  it('opens a case, raises a flag and tells of a violation in the commit of its step', async () => {
    const world = await createWorld()
    const own = { ruleId: 'r1', reasonCategory: null, reviewTier: 'high' } as const
    unwrap(
      await send(
        world,
        span({
          type: 'tool',
          toolName: 'pay',
          checkpointId: 'cp-1',
          resumeToken: 'tok',
          input: { amount: 5 },
          policyResult: { ...own, effect: 'require_review' },
        }),
        span({
          spanId: spanOf(2),
          parentSpanId: spanOf(1),
          policyResult: { ...own, ruleId: 'r2', effect: 'deny' },
        }),
      ),
    )
    const [review] = world.rows(reviewCases)
    assert.deepEqual(
      [review?.checkpointId, review?.reviewTier, review?.sessionId],
      ['cp-1', 'high', 'session-1'],
    )
    const digest = world.rows(steps).find(({ toolName }) => toolName === 'pay')?.payloads[0]?.digest
    assert.deepEqual(
      JSON.stringify(review?.presentation?.payloads ?? null).includes(digest ?? 'none'),
      true,
    )
    assert.equal(
      world.rows(steps).find(({ toolName }) => toolName === 'pay')?.policyResults[0]?.reviewCaseId,
      review?.reviewCaseId,
    )
    assert.deepEqual(
      world
        .events()
        .map(({ type }) => type)
        .sort(),
      ['compliance.rule_violation', 'review.case.created', 'session.flagged'],
    )
    const session = unwrap(
      await world.service.sessions.read(world.admin, { sessionId: 'session-1' }),
    )
    assert.deepEqual([session.openFlags, session.openReviewCases], [1, 1])
    // A repeat judges nothing anew.
    unwrap(
      await send(
        world,
        span({
          type: 'tool',
          checkpointId: 'cp-1',
          policyResult: { ...own, effect: 'require_review' },
        }),
      ),
    )
    assert.equal(world.rows(reviewCases).length, 1)
  })
})

describe('a session', () => {
  it('is complete 60 s after its last span once its root has ended, else after 30 minutes', async () => {
    const world = await createWorld()
    const { service, pass, admin } = world
    const child = { spanId: spanOf(2), parentSpanId: spanOf(1) }
    unwrap(await send(world, span(child)))
    unwrap(await send(world, span({ ...child, traceId: traceOf(2), sessionId: 'open' })))
    await pass(5 * minute)
    unwrap(await send(world, span({ status: 'error' })))
    await pass(minute - 1)
    assert.equal(
      unwrap(await service.sessions.read(admin, { sessionId: 'session-1' })).status,
      'running',
    )
    await pass(1)
    const done = unwrap(await service.sessions.read(admin, { sessionId: 'session-1' }))
    assert.deepEqual([done.status, done.completedAt], ['failed', '2026-01-01T00:06:00.000Z'])
    assert.equal(
      unwrap(await service.sessions.read(admin, { sessionId: 'open' })).status,
      'running',
    )
    await pass(24 * minute)
    assert.equal(
      unwrap(await service.sessions.read(admin, { sessionId: 'open' })).status,
      'completed',
    )
    const [event] = world.events('session.completed')
    assert.deepEqual(event && 'data' in event && event.data, {
      sessionId: 'session-1',
      status: 'failed',
      startedAt: '2026-01-01T00:00:00.000Z',
      endedAt: '2026-01-01T00:00:01.000Z',
      durationMs: 1000,
      stepCount: 2,
      errorCount: 1,
      inputTokens: 0,
      outputTokens: 0,
      models: [],
      policyEffects: { allow: 0, deny: 0, requireReview: 0 },
    })
  })

  it('takes late spans for 24 hours, as another revision that is sealed anew', async () => {
    const world = await createWorld()
    const { service, pass, admin } = world
    unwrap(await send(world, span({ input: 'x' })))
    await pass(minute)
    await pass(minute)
    await pass(0)
    const first = unwrap(await service.sessions.proof(admin, { sessionId: 'session-1' }))
    assert.deepEqual([first.revision, first.treeSize, first.anchor.status], [1, 2, 'recorded'])
    unwrap(await send(world, span({ spanId: spanOf(2), parentSpanId: spanOf(1) })))
    await pass(minute)
    await pass(0)
    const second = unwrap(await service.sessions.proof(admin, { sessionId: 'session-1' }))
    assert.equal(second.revision, 2)
    assert.notEqual(second.leafHash, first.leafHash)
    assert.equal(world.events('session.completed').length, 1)
    assert.deepEqual(
      world.rows(steps).map(({ late }) => late),
      [false, true],
    )
    await pass(24 * 60 * minute)
    const closed = unwrap(await send(world, span(), span({ spanId: spanOf(3) })))
    assert.deepEqual(closed, { accepted: 1, rejected: { too_late: 1 } })
  })
})
