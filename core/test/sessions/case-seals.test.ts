import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import type { ReviewCase } from '@countersign/core/internal'
import fc from 'fast-check'
import type { Store } from '../../base/ports/store.ts'
import { anchors, batches, caseSeals } from '../../content/seal-records.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { caseRecordOf } from '../../review/case-record.ts'
import { reviewCases } from '../../review/records.ts'
import { auditRecordOf } from '../../sessions/seal/audit-leaf.ts'
import { waitingSeal } from '../../sessions/seal/enter-case.ts'
import { leafOf } from '../../sessions/seal/record.ts'
import { flatLeaf, rootBy, saltedDigest } from './leaves.ts'
import { createWorld, send, span, traceOf, type World } from './world.ts'

const minute = 60_000

/** The application of a world, by a key of its own. */
async function applicationOf({ service, admin, owner: { applicationId } }: World) {
  const made = unwrap(await service.applicationKeys.create(admin, { applicationId, label: 'app' }))
  return unwrap(await service.access.authenticateApplication(made.value))
}

type End =
  | { readonly by: 'decision'; readonly decision: 'approved' | 'rejected' | 'response_submitted' }
  | { readonly by: 'cancellation' }
  | { readonly by: 'expiry' }

interface Ending {
  readonly end: End
  readonly title: string
  readonly comment: string | null
  readonly response: string | null
  readonly sessionId: string
}

/** Opens a case and brings it to an end. */
async function ended(world: World, checkpointId: string, given: Ending): Promise<string> {
  const { service, admin, clock } = world
  const { end, title, comment, response, sessionId } = given
  const { reviewCaseId } = unwrap(
    await service.reviewCases.open(await applicationOf(world), {
      ...{ sessionId, checkpointId, idempotencyKey: checkpointId },
      reasonCategory: 'high_risk_action',
      presentation: { title },
    }),
  )
  const seen = unwrap(await service.reviewCases.claim(admin, { reviewCaseId }))
  const { caseVersion, presentationDigest } = seen
  if (end.by === 'cancellation')
    unwrap(
      await service.reviewCases.cancel(admin, {
        ...{ reviewCaseId, caseVersion, reasonCategory: 'end_user_cancelled' },
      }),
    )
  else if (end.by === 'expiry') {
    await clock.advance(Date.parse(seen.expiresAt) - clock.now() + 1)
    // Whoever comes first records the end.
    await service.reviewCases.cancel(admin, {
      ...{ reviewCaseId, caseVersion, reasonCategory: 'end_user_cancelled' },
    })
  } else
    unwrap(
      await service.reviewCases.decide(admin, {
        ...{ reviewCaseId, caseVersion, presentationDigest: presentationDigest ?? '' },
        ...{ decision: end.decision, comment, response },
      }),
    )
  return reviewCaseId
}

const plain: Ending = {
  end: { by: 'decision', decision: 'approved' },
  title: 'Pay invoice 17',
  comment: 'Invoice and order agree.',
  response: 'to the second account',
  sessionId: 'session-1',
}

function rowOf(world: World, reviewCaseId: string): ReviewCase {
  const row = world.rows(reviewCases).find((each) => each.reviewCaseId === reviewCaseId)
  assert.ok(row)
  return row
}

/** What the interface says that the leaf of a case hashes. */
function specifiedRecord(row: ReviewCase) {
  const { comment, response } = row.nonces
  const digestOf = (nonce: string | null, text: unknown) =>
    typeof text === 'string' && nonce !== null ? saltedDigest(nonce, text) : null
  return {
    leafType: 'review-case',
    recordVersion: '1.0',
    tenantId: row.tenantId,
    applicationId: row.applicationId,
    sessionId: row.sessionId,
    checkpointId: row.checkpointId,
    reviewCaseId: row.reviewCaseId,
    caseVersion: row.caseVersion,
    state: row.state,
    decision: row.decision,
    reasonCategory: row.reasonCategory,
    presentationDigest: row.presentationDigest,
    commentDigest: digestOf(comment, row.reviewerComment),
    responseDigest: digestOf(response, row.response),
    decidedBy: row.decidedBy,
    openedAt: new Date(row.createdAt).toISOString(),
    closedAt: new Date(row.closedAt ?? 0).toISOString(),
    decisionSignature: null,
  }
}

const text = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' })
const endings: fc.Arbitrary<Ending> = fc.record({
  end: fc.oneof(
    fc.record({
      by: fc.constant('decision' as const),
      decision: fc.constantFrom('approved' as const, 'rejected', 'response_submitted'),
    }),
    fc.constant({ by: 'cancellation' as const }),
    fc.constant({ by: 'expiry' as const }),
  ),
  title: text,
  comment: fc.option(text),
  response: text,
  sessionId: fc.constantFrom('session-1', 'session-2'),
})

/** That all cases of a world are proven as the interface says, by what `recordOf` calls their record. */
async function proven(world: World, ids: readonly string[], recordOf = specifiedRecord) {
  for (const reviewCaseId of ids) {
    const proof = unwrap(await world.service.reviewCases.proof(world.admin, { reviewCaseId }))
    const record = recordOf(rowOf(world, reviewCaseId))
    assert.deepEqual(proof.leafInput, record)
    assert.equal(proof.leafHash, flatLeaf(record))
    assert.equal(rootBy(proof), proof.merkleRoot)
    assert.ok(world.rows(anchors).some(({ merkleRoot }) => merkleRoot === proof.merkleRoot))
  }
}

describe('the seal of a review case', () => {
  it('proves every end of a case within a minute, by the leaf that the interface names', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(endings, { minLength: 1, maxLength: 4 }), async (all) => {
        const world = await createWorld()
        const ids: string[] = []
        for (const [at, each] of all.entries()) ids.push(await ended(world, `at-${at}`, each))
        for (let second = 0; second < 60; second += 10) await world.pass(10_000)
        await proven(world, ids)
      }),
      { numRuns: 8 },
    )
  })

  it('is proven by no other record', async () => {
    const world = await createWorld()
    const ids = [await ended(world, 'at', plain)]
    for (const _ of [1, 2, 3]) await world.pass(20_000)
    await proven(world, ids)
    for (const name of Object.keys(specifiedRecord(rowOf(world, ids[0] ?? ''))))
      await assert.rejects(
        proven(world, ids, (row) => ({ ...specifiedRecord(row), [name]: 'another' })),
        assert.AssertionError,
        name,
      )
  })

  it('changes with every member of its record', async () => {
    const world = await createWorld()
    const row = rowOf(world, await ended(world, 'at', plain))
    const record = caseRecordOf(row)
    assert.ok(record)
    const leaf = leafOf(record)
    for (const name of Object.keys(record)) {
      assert.notEqual(leafOf({ ...record, [name]: 'another' }), leaf, name)
      const { [name as 'state']: _, ...without } = record
      assert.notEqual(leafOf(without), leaf, name)
    }
  })

  it('is of no case that is open, and of none before its batch', async () => {
    const world = await createWorld()
    const { service, admin } = world
    const { reviewCaseId } = unwrap(
      await service.reviewCases.open(await applicationOf(world), {
        ...{ sessionId: 'session-1', checkpointId: 'at', idempotencyKey: 'at' },
        ...{ reasonCategory: 'high_risk_action', presentation: { title: 'Pay' } },
      }),
    )
    await world.pass(minute)
    const early = await service.reviewCases.proof(admin, { reviewCaseId })
    assert.equal(!early.ok && early.refusal.code, 'not_sealed')
    const other = await ended(world, 'other', plain)
    const waiting = await service.reviewCases.proof(admin, { reviewCaseId: other })
    assert.equal(!waiting.ok && waiting.refusal.code, 'not_sealed')
    const unknown = await service.reviewCases.proof(admin, { reviewCaseId: 'rc_unknown' })
    assert.equal(!unknown.ok && unknown.refusal.code, 'not_found')
  })

  it('is read by the application whose case it is, and by no other', async () => {
    const world = await createWorld()
    const reviewCaseId = await ended(world, 'at', plain)
    for (const _ of [1, 2, 3]) await world.pass(20_000)
    const app = await applicationOf(world)
    assert.ok((await world.service.reviewCases.proof(app, { reviewCaseId })).ok)
    const foreign = { ...app, applicationId: 'app_other' }
    const refused = await world.service.reviewCases.proof(foreign, { reviewCaseId })
    assert.equal(refused.ok, false)
  })

  it('holds no text, and stands when texts and nonces are erased', async () => {
    const world = await createWorld({ pollMs: minute })
    const { service, admin } = world
    unwrap(await send(world, span({ dataSubjectId: 'person-1' })))
    await world.pass(5 * minute)
    const reviewCaseId = await ended(world, 'at', plain)
    for (const _ of [1, 2, 3]) await world.pass(20_000)
    const before = unwrap(await service.reviewCases.proof(admin, { reviewCaseId }))
    const { nonces } = rowOf(world, reviewCaseId)
    const sealed = JSON.stringify([world.rows(batches), world.rows(caseSeals)])
    for (const planted of [plain.comment, plain.response, plain.title, ...Object.values(nonces)])
      assert.ok(!sealed.includes(planted ?? 'nothing'), `${planted} lies in a seal`)

    service.start()
    unwrap(
      await service.erasureRequests.create(admin, {
        ...{ dataSubjectId: 'person-1', reason: 'objection', confirm: true },
      }),
    )
    for (let hour = 0; hour < 80; hour++) await world.clock.advance(60 * minute)
    await service.close()
    const row = rowOf(world, reviewCaseId)
    assert.deepEqual(row.nonces, { comment: null, response: null })
    assert.equal(row.reviewerComment, null)
    const record = caseRecordOf(row)
    assert.deepEqual(record, before.leafInput)
    assert.equal(record && flatLeaf(record), before.leafHash)
  })

  it('is made anew when its case moves with its session to another', async () => {
    const world = await createWorld()
    const other = { traceId: traceOf(7), sessionId: null }
    unwrap(await send(world, span({ ...other, parentSpanId: '00000000000000ff' })))
    const reviewCaseId = await ended(world, 'at', { ...plain, sessionId: traceOf(7) })
    for (const _ of [1, 2, 3]) await world.pass(10_000)
    await proven(world, [reviewCaseId])
    const named = { traceId: traceOf(7), sessionId: 'named', spanId: '00000000000000ff' }
    unwrap(await send(world, span(named)))
    for (let at = 0; at < 12; at++) await world.pass(10_000)
    assert.equal(rowOf(world, reviewCaseId).sessionId, 'named')
    await proven(world, [reviewCaseId])
    const leaves = world.rows(batches).flatMap((batch) => batch.leaves)
    const own = leaves.filter((leaf) => 'reviewCaseId' in leaf)
    assert.equal(own.length, 2)
    const row = rowOf(world, reviewCaseId)
    // One record tells both leaves.
    for (const { leafHash, ...leaf } of own)
      assert.equal(
        flatLeaf({ ...specifiedRecord(row), sessionId: 'sessionId' in leaf && leaf.sessionId }),
        leafHash,
      )
  })

  it('is made of a case that is entered while it moves', async () => {
    const from = traceOf(7)
    let isEntered = false
    const wrap = (store: Store): Store => ({
      ...store,
      commit: async (set) => {
        const moved = set.puts?.find(
          (each) => each.in === reviewCases.name && (each.row as ReviewCase).sessionId === 'named',
        )
        if (moved && !isEntered) {
          isEntered = true
          const review = { ...(moved.row as ReviewCase), sessionId: from }
          const seal = waitingSeal(review, review.closedAt ?? 0)
          assert.ok(seal)
          await store.commit({ tenant: review.tenantId, puts: [put(caseSeals, seal, null)] })
        }
        // Nobody else enters it before.
        const isEntering = set.puts?.some((each) => each.in === caseSeals.name)
        if (isEntering && !isEntered) {
          const conflict = { kind: 'version', in: caseSeals.name, key: ['case'], now: 1 } as const
          return { committed: false, conflicts: [conflict] }
        }
        return store.commit(set)
      },
    })
    const world = await createWorld({ wrap })
    const other = { traceId: from, sessionId: null }
    unwrap(await send(world, span({ ...other, parentSpanId: '00000000000000ff' })))
    const reviewCaseId = await ended(world, 'at', { ...plain, sessionId: from })
    const named = { traceId: from, sessionId: 'named', spanId: '00000000000000ff' }
    unwrap(await send(world, span(named)))
    for (let at = 0; at < 12; at++) await world.pass(10_000)
    assert.ok(isEntered)
    assert.equal(rowOf(world, reviewCaseId).sessionId, 'named')
    await proven(world, [reviewCaseId])
  })

  it('comes with the head of the audit log, as the last leaf of its batch', async () => {
    const world = await createWorld()
    await ended(world, 'at', plain)
    for (const _ of [1, 2, 3]) await world.pass(20_000)
    const [batch] = world.rows(batches)
    const last = batch?.leaves.at(-1)
    assert.ok(last && 'position' in last)
    const { entries } = unwrap(
      await world.service.auditLog.list(world.admin, { pageSize: 100 }),
    ) as {
      entries: readonly { readonly position: number; readonly hash: string }[]
    }
    const entry = entries.find(({ position }) => position === last.position)
    assert.equal(entry?.hash, last.hash)
    const record = auditRecordOf(world.owner.tenantId, last)
    assert.equal(last.leafHash, flatLeaf(record))
    assert.equal(leafOf(record), flatLeaf(record))
  })
})
