import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { collections, unwrap } from '@countersign/core'
import type { Collection, Store } from '../../base/ports/store.ts'
import { sessions } from '../../content/records.ts'
import { sessionFlags } from '../../policies/flags/records.ts'
import { policyDemands } from '../../policies/records.ts'
import { sessionAnnotations, sessionReviews } from '../../policies/sessions/records.ts'
import { rowsOfSessions } from '../../removal/erasure/session-rows.ts'
import { reviewCases } from '../../review/records.ts'
import { markCollections } from '../../sessions/move-marks.ts'
import { createWorld, send, span, spanOf, traceOf, type World } from './world.ts'

const minute = 60_000
const first = { page: 1, pageSize: 20 }
const own = { ruleId: 'r1', reasonCategory: null, reviewTier: 'high' } as const
const trace = traceOf(5)
/** A child of a root that comes later; what it does needs a human, or is denied. */
const asking = span({
  sessionId: null,
  traceId: trace,
  spanId: spanOf(2),
  parentSpanId: spanOf(1),
  checkpointId: 'cp-1',
  policyResult: { ...own, effect: 'require_review' },
})
const denied = span({
  sessionId: null,
  traceId: trace,
  spanId: spanOf(3),
  parentSpanId: spanOf(1),
  policyResult: { ...own, effect: 'deny' },
})
const root = span({ sessionId: 'named', traceId: trace })

const marks = [sessionFlags, sessionAnnotations, sessionReviews, policyDemands, reviewCases]

/** The sessions that hold marks, by collection. */
function holders(world: World) {
  return marks.map((collection) =>
    world.rows(collection as typeof sessionFlags).map(({ sessionId }) => sessionId),
  )
}

describe('what hangs on a session whose trace gets its name late', () => {
  it('follows its steps: flags, annotations, reviews, demands and cases', async () => {
    const world = await createWorld()
    const { service, admin } = world
    const { annotations, flags, sessionReviews } = service
    unwrap(await send(world, asking, denied))
    const note = unwrap(
      await annotations.create(admin, {
        sessionId: trace,
        text: 'look',
        stepId: `${trace}-${spanOf(2)}`,
      }),
    )
    const flag = unwrap(await flags.raise(admin, { sessionId: trace, flag: 'safety' }))
    await world.pass(30 * minute)
    unwrap(await sessionReviews.create(admin, { sessionId: trace, decision: 'rejected' }))
    const before = unwrap(await service.sessions.read(admin, { sessionId: trace }))
    assert.deepEqual([before.openFlags, before.openReviewCases], [2, 1])
    unwrap(await send(world, root))
    await world.pass(0)

    assert.deepEqual(holders(world), [
      ['named', 'named'],
      ['named'],
      ['named'],
      ['named'],
      ['named'],
    ])
    assert.deepEqual(
      world.rows(sessions).map(({ sessionId }) => sessionId),
      ['named'],
    )
    // By its own id and by the old one.
    for (const id of ['named', trace]) {
      const session = unwrap(await service.sessions.read(admin, { sessionId: id }))
      assert.deepEqual(
        [session.sessionId, session.openFlags, session.openReviewCases, session.reviewState],
        ['named', 2, 1, 'rejected'],
      )
      const notes = unwrap(await annotations.list(admin, { sessionId: id, ...first }))
      assert.deepEqual(
        notes.annotations.map(({ annotationId }) => annotationId),
        [note.annotationId],
      )
    }
    const cleared = unwrap(await flags.clear(admin, { sessionId: 'named', flagId: flag.flagId }))
    assert.notEqual(cleared.clearedAt, null)
    assert.equal(unwrap(await service.sessions.read(admin, { sessionId: 'named' })).openFlags, 1)
  })

  it('meets what the named session has: the severer flag and its own case stay open', async () => {
    const world = await createWorld()
    const { flags } = world.service
    const theirs = { traceId: traceOf(6), sessionId: 'named' } as const
    unwrap(await send(world, { ...asking, ...theirs }, { ...denied, ...theirs }))
    for (const [id, severity] of [
      ['named', 'info'],
      [trace, 'critical'],
    ] as const) {
      if (id === trace) unwrap(await send(world, asking, denied))
      unwrap(await flags.raise(world.admin, { sessionId: id, flag: 'safety', severity }))
    }
    const kept = world.rows(reviewCases).find(({ sessionId }) => sessionId === 'named')
    unwrap(await send(world, root))
    await world.pass(0)

    const open = world.rows(sessionFlags).filter(({ state }) => state === 'open')
    assert.deepEqual(
      open.map(({ flag, severity, sessionId }) => `${sessionId} ${flag} ${severity}`).sort(),
      ['named compliance warning', 'named safety critical'],
    )
    assert.equal(world.rows(sessionFlags).length, 4)
    assert.equal(world.rows(sessions)[0]?.openFlags, 2)
    const [superseded, ...others] = world
      .rows(reviewCases)
      .filter(({ reviewCaseId }) => reviewCaseId !== kept?.reviewCaseId)
    assert.deepEqual(
      [superseded?.state, superseded?.cancellationReason, others.length],
      ['cancelled', 'checkpoint_superseded', 0],
    )
    assert.deepEqual(
      world.rows(policyDemands).map(({ sessionId, reviewCaseId }) => [sessionId, reviewCaseId]),
      [['named', kept?.reviewCaseId]],
    )
    assert.deepEqual(new Set(holders(world).flat()), new Set(['named']))
    assert.equal(world.events('review.case.cancelled').length, 1)
  })

  it('takes its cases by a step, so that no answer that a browser keeps stays right', async () => {
    const world = await createWorld()
    unwrap(await send(world, asking))
    const { reviewCaseId = '' } = world.rows(reviewCases)[0] ?? {}
    const read = async () =>
      unwrap(await world.service.reviewCases.read(world.admin, { reviewCaseId }))
    const before = await read()
    unwrap(await send(world, root))
    await world.pass(0)
    const { sessionId, caseVersion, eventSequence, history } = await read()
    assert.deepEqual([before.sessionId, sessionId], [trace, 'named'])
    assert.deepEqual([caseVersion, eventSequence], [before.caseVersion, before.eventSequence + 1])
    const last = history.at(-1)
    assert.deepEqual([last?.step, last?.actor], ['session_moved', 'system'])
  })

  it('ends a case first whose time is up', async () => {
    const world = await createWorld()
    unwrap(await send(world, denied))
    const { applicationId } = world.owner
    const key = unwrap(
      await world.service.applicationKeys.create(world.admin, { applicationId, label: 'app' }),
    )
    const application = unwrap(await world.service.access.authenticateApplication(key.value))
    const { reviewCaseId } = unwrap(
      await world.service.reviewCases.open(application, {
        sessionId: trace,
        checkpointId: 'cp-2',
        reasonCategory: 'high_risk_action',
        presentation: { action: 'pay' },
        dueAt: world.clock.now() + 1_000,
        expiresAt: world.clock.now() + 2_000,
        idempotencyKey: 'cp-2',
      }),
    )
    await world.pass(minute)
    unwrap(await send(world, root))
    await world.pass(0)
    const moved = unwrap(await world.service.reviewCases.read(world.admin, { reviewCaseId }))
    assert.deepEqual([moved.sessionId, moved.state], ['named', 'expired'])
    assert.deepEqual(
      moved.history.map(({ step }) => step),
      ['created', 'expired', 'session_moved'],
    )
    assert.equal(world.events('review.case.expired').length, 1)
  })

  it('follows too when it comes while the session is dissolved', async () => {
    let annotate: (() => Promise<void>) | null = null
    const world = await createWorld({
      wrap: (store): Store => ({
        ...store,
        commit: async (set) => {
          const dissolves = set.removes?.some(({ in: name }) => name === sessions.name)
          if (dissolves) {
            const run = annotate
            annotate = null
            await run?.()
          }
          return store.commit(set)
        },
      }),
    })
    unwrap(await send(world, asking))
    annotate = async () => {
      unwrap(
        await world.service.annotations.create(world.admin, {
          sessionId: trace,
          text: 'just in time',
        }),
      )
    }
    unwrap(await send(world, root))
    await world.pass(0)
    assert.equal(annotate, null)
    assert.deepEqual(holders(world), [[], ['named'], [], ['named'], ['named']])
  })

  it('comes in large numbers, each once', async () => {
    const world = await createWorld()
    unwrap(await send(world, asking))
    for (let at = 0; at < 250; at++)
      unwrap(
        await world.service.annotations.create(world.admin, {
          sessionId: trace,
          text: `note ${at}`,
        }),
      )
    unwrap(await send(world, root))
    await world.pass(0)
    const notes = world.rows(sessionAnnotations)
    assert.equal(new Set(notes.map(({ annotationId }) => annotationId)).size, 250)
    assert.ok(notes.every(({ sessionId }) => sessionId === 'named'))
  })

  it('is of no collection that a move forgets', () => {
    const moved = [...markCollections, 'steps', 'traces', 'sessionAliases', 'bundles', 'sessions']
    // Rows of sessions that have not come, which have nothing to move.
    moved.push('awaitedSessions')
    // What is sealed is never moved.
    const all = rowsOfSessions(collections as unknown as readonly Collection[], ['seals'])
    assert.deepEqual(all.map(({ collection: { name } }) => name).sort(), moved.sort())
  })
})
