import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import fc from 'fast-check'
import { canonicalize } from '../../base/canonical/canonicalize.ts'
import { bundles } from '../../content/payload-records.ts'
import { sessions, steps } from '../../content/records.ts'
import { anchors, batches, seals } from '../../content/seal-records.ts'
import { reviewCases } from '../../review/records.ts'
import type { SubmittedSession } from '../../sessions/submission/submitted.ts'
import { createWorld, send, span, spanOf, type World } from './world.ts'

const sha256 = (...parts: readonly Uint8Array[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** The root by the recursive definition of RFC 9162 2.1.1: another algorithm than the one at test. */
function expectedRoot(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves
  if (leaves.length === 1 && only) return only
  let split = 1
  while (split * 2 < leaves.length) split *= 2
  return sha256(
    Buffer.of(1),
    expectedRoot(leaves.slice(0, split)),
    expectedRoot(leaves.slice(split)),
  )
}

const leafOf = (session: unknown) =>
  sha256(Buffer.of(0), Buffer.from(canonicalize(session), 'utf8'))
const rootOf = (sessions: readonly unknown[]) => expectedRoot(sessions.map(leafOf)).toString('hex')

function session(given: Partial<SubmittedSession> = {}): SubmittedSession {
  return {
    sessionId: 's-1',
    startedAt: '2026-01-01T00:00:00Z',
    endedAt: '2026-01-01T00:00:05.250Z',
    status: 'completed',
    steps: [
      {
        stepId: 'a',
        type: 'llm',
        name: 'think',
        startedAt: '2026-01-01T00:00:00Z',
        endedAt: '2026-01-01T00:00:01Z',
        status: 'ok',
        model: 'm',
        inputTokens: 5,
        input: 'What?',
        output: { text: 'That.' },
      },
    ],
    ...given,
  }
}

const submit = (world: World, batchId: string, list: readonly SubmittedSession[], root?: string) =>
  world.service.ingest.submit(world.key, {
    batchId,
    merkleRoot: root ?? rootOf(list),
    sessions: list,
  })

const masking = { name: 'addresses', detect: 'email', action: 'mask' } as const

/** What the store holds of ingest, to see that nothing was written. */
const kept = (world: World) =>
  [sessions, steps, bundles, batches, seals].map(
    (each) => world.rows(each as typeof batches).length,
  )

describe('a submission', () => {
  it('is not kept as text where it has members that no redaction policy knows', async () => {
    for (const policies of [[], [masking]]) {
      const world = await createWorld()
      unwrap(
        await world.service.redactionPolicies.set(world.admin, {
          applicationId: world.owner.applicationId,
          policies,
        }),
      )
      const other = { ...session(), contact: 'ada@example.com' }
      unwrap(await submit(world, 'b-1', [session({ sessionId: 's-0' }), other]))
      const fields = world
        .rows(sessions)
        .map(({ sessionId, payloads }) => [sessionId, payloads.map(({ field }) => field)])
      const kept = policies.length === 0 ? ['submission'] : []
      assert.deepEqual(Object.fromEntries(fields), { 's-0': ['submission'], 's-1': kept })
    }
  })

  it('stores its sessions complete and sealed, and answers the same for the same', async () => {
    const world = await createWorld()
    const list = [
      session({ metadata: { ticket: 7 } }),
      session({ sessionId: 's-2', status: 'failed' }),
    ]
    const answer = unwrap(await submit(world, 'b-1', list))
    assert.deepEqual(answer, {
      batchId: 'b-1',
      merkleRoot: rootOf(list),
      treeSize: 2,
      accepted: 2,
      duplicates: 0,
      sessions: list.map((each, leafIndex) => ({
        sessionId: each.sessionId,
        leafIndex,
        leafHash: leafOf(each).toString('hex'),
        status: 'accepted',
        reviewCaseIds: [],
      })),
    })
    const before = kept(world)
    assert.deepEqual(unwrap(await submit(world, 'b-1', list)), answer)
    assert.deepEqual(
      unwrap(await world.service.ingest.readBatch(world.key, { batchId: 'b-1' })),
      answer,
    )
    assert.deepEqual(kept(world), before)
    const read = unwrap(await world.service.sessions.read(world.admin, { sessionId: 's-1' }))
    assert.deepEqual(
      [read.status, read.durationMs, read.origin, read.metadata, read.sealed],
      ['completed', 5_250, 'submission', { ticket: 7 }, { batchId: 'b-1', leafIndex: 0 }],
    )
    const step = unwrap(
      await world.service.sessions.readStep(world.admin, { sessionId: 's-1', stepId: 'a' }),
    )
    assert.deepEqual([step.payload?.input, step.payload?.output], ['What?', { text: 'That.' }])
    assert.equal(world.events('session.completed').length, 2)
  })

  it('under a wrong root stores nothing, whatever is wrong', async () => {
    const world = await createWorld()
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.nat(5),
        fc.nat(),
        async (size, at, seed) => {
          const list = Array.from({ length: size }, (_, n) =>
            session({ sessionId: `p-${seed}-${n}` }),
          )
          const root = rootOf(list)
          const changed = list.map((each, n) =>
            n === at % size ? { ...each, endedAt: '2026-01-01T00:00:06Z' } : each,
          )
          const before = kept(world)
          const refused = await submit(world, `b-${seed}`, changed, root)
          assert.ok(!refused.ok)
          assert.equal(refused.refusal.code, 'merkle_root_mismatch')
          assert.deepEqual(refused.refusal.facts, { expected: root, computed: rootOf(changed) })
          assert.deepEqual(kept(world), before)
        },
      ),
      { numRuns: 20 },
    )
  })

  it('proves each of its sessions against the root, and its root in a chain of signed anchors', async () => {
    const world = await createWorld()
    const list = Array.from({ length: 7 }, (_, at) => session({ sessionId: `s-${at}` }))
    unwrap(await submit(world, 'b-1', list))
    unwrap(await submit(world, 'b-2', [session({ sessionId: 'other' })]))
    const pending = unwrap(await world.service.sessions.proof(world.admin, { sessionId: 's-3' }))
    assert.equal(pending.anchor.status, 'pending')
    await world.pass(1)
    for (const [leafIndex, each] of list.entries()) {
      const proof = unwrap(
        await world.service.sessions.proof(world.admin, { sessionId: each.sessionId }),
      )
      assert.equal(proof.leafIndex, leafIndex)
      let hash = leafOf(each)
      let index = leafIndex
      let last = proof.treeSize - 1
      for (const sibling of proof.inclusionPath.map((hex) => Buffer.from(hex, 'hex'))) {
        while (index % 2 === 0 && index === last) {
          index /= 2
          last = Math.floor(last / 2)
        }
        hash =
          index % 2 === 1
            ? sha256(Buffer.of(1), sibling, hash)
            : sha256(Buffer.of(1), hash, sibling)
        index = Math.floor(index / 2)
        last = Math.floor(last / 2)
      }
      assert.equal(hash.toString('hex'), proof.merkleRoot)
      const commitment = sha256(
        Buffer.from('countersign-anchor-v1'),
        Buffer.from(proof.merkleRoot, 'hex'),
        Buffer.from(proof.anchor.nonce ?? '', 'hex'),
      )
      assert.equal(proof.anchor.commitment, commitment.toString('hex'))
    }
    const ledger = world.rows(anchors)
    assert.deepEqual(
      ledger.map(({ sequence }) => sequence),
      [1, 2],
    )
    assert.equal(ledger[0]?.previousHash, '0'.repeat(64))
    assert.equal(ledger[1]?.previousHash, ledger[0]?.entryHash)
    const page = unwrap(await world.service.anchors.list(world.admin, { page: 1, pageSize: 20 }))
    assert.deepEqual(
      page.anchors.map(({ sequence, nonce }) => [sequence, nonce]),
      [
        [2, null],
        [1, null],
      ],
    )
  })

  it('takes a known session with the same content as a duplicate, and refuses any other', async () => {
    const world = await createWorld()
    unwrap(await submit(world, 'b-1', [session()]))
    const again = unwrap(await submit(world, 'b-2', [session(), session({ sessionId: 's-2' })]))
    assert.deepEqual(
      again.sessions.map(({ status }) => status),
      ['duplicate', 'accepted'],
    )
    assert.equal(unwrap(await world.service.ingest.usage(world.key, {})).sessionsUsed, 2)
    unwrap(await send(world, span({ sessionId: 'spans' })))
    const before = kept(world)
    for (const [batchId, list, code] of [
      ['b-3', [session({ sessionId: 'new' }), session({ status: 'failed' })], 'session_conflict'],
      ['b-4', [session({ sessionId: 'spans' })], 'session_conflict'],
      ['b-1', [session({ sessionId: 'new' })], 'idempotency_conflict'],
      ['b-5', [session({ sessionId: 'new' }), session({ sessionId: 'new' })], 'invalid_request'],
    ] as const) {
      const refused = await submit(world, batchId, list)
      assert.equal(refused.ok ? 'ok' : refused.refusal.code, code, batchId)
    }
    assert.deepEqual(kept(world), before)
    const late = unwrap(await send(world, span({ sessionId: 's-1', spanId: spanOf(9) })))
    assert.deepEqual(late, { accepted: 0, rejected: { too_late: 1 } })
  })

  it('over the quota is refused whole', async () => {
    const world = await createWorld({ plan: 'Builder' })
    const list = Array.from({ length: 499 }, (_, at) =>
      session({ sessionId: `s-${at}`, steps: [] }),
    )
    unwrap(await submit(world, 'b-1', list))
    const over = await submit(world, 'b-2', [
      session({ sessionId: 'x' }),
      session({ sessionId: 'y' }),
    ])
    assert.ok(!over.ok)
    assert.equal(over.refusal.code, 'quota_exceeded')
    unwrap(await submit(world, 'b-3', [session({ sessionId: 'x' }), list[0] as SubmittedSession]))
  })

  it('opens the cases that the application asks for, and names them', async () => {
    const world = await createWorld()
    const require = { ruleId: 'r', effect: 'require_review' } as const
    const answer = unwrap(
      await submit(world, 'b-1', [
        session({
          policyResults: [{ ...require, stepId: 'a' }, require],
          scores: [{ name: 'q', value: 0.5 }],
        }),
        session({ sessionId: 's-2' }),
      ]),
    )
    const cases = world.rows(reviewCases)
    assert.deepEqual(cases.map(({ checkpointId }) => checkpointId).sort(), ['a', 's-1'])
    assert.deepEqual(
      answer.sessions.map(({ reviewCaseIds }) => reviewCaseIds.length),
      [2, 0],
    )
  })

  it('takes doubles beyond 2^53 where they are written as RFC 8785 writes them', async () => {
    const world = await createWorld()
    const { service, key, admin } = world
    const [step] = session().steps
    const submitted = async (sessionId: string, number: string) => {
      const given = session({
        sessionId,
        steps: [{ ...(step as NonNullable<typeof step>), attributes: { x: Number(number) } }],
      })
      const batch = { batchId: sessionId, merkleRoot: rootOf([given]), sessions: [given] }
      const text = JSON.stringify(batch).replace(/"x":[^}]+/, `"x":${number}`)
      return service.ingest.acceptSubmission(key, new TextEncoder().encode(text))
    }
    const taken = ['1e22', '1E+22', `1${'0'.repeat(22)}`, '9007199254740994', '-1.5e300']
    for (const [at, number] of taken.entries()) {
      const sessionId = `s-${at}`
      assert.equal(unwrap(await submitted(sessionId, number)).accepted, 1, number)
      const read = unwrap(await service.sessions.readStep(admin, { sessionId, stepId: 'a' }))
      assert.deepEqual(read.payload?.attributes, { x: Number(number) })
    }
    for (const number of ['9007199254740993', '9007199254740993.0', `1${'0'.repeat(22)}1`]) {
      const refused = await submitted('no', number)
      assert.ok(!refused.ok, number)
      assert.match(refused.refusal.detail, /double/)
    }
  })

  it('with anything malformed is refused with the place', async () => {
    const world = await createWorld()
    const [step] = session().steps
    assert.ok(step)
    for (const [broken, pointer] of [
      [{ sessionId: '' }, '/sessions/0/sessionId'],
      [{ sessionId: 'a\u0007' }, '/sessions/0/sessionId'],
      [{ startedAt: 'yesterday' }, '/sessions/0/startedAt'],
      [{ startedAt: '2026-02-30T00:00:00Z' }, '/sessions/0/startedAt'],
      [{ endedAt: '2026-01-01T24:00:00Z' }, '/sessions/0/endedAt'],
      [{ endedAt: '2025-12-31T00:00:00Z' }, '/sessions/0/endedAt'],
      [{ status: 'running' }, '/sessions/0/status'],
      [{ steps: [step, step] }, '/sessions/0/steps/1/stepId'],
      [{ steps: [{ ...step, type: 'magic' }] }, '/sessions/0/steps/0/type'],
      [{ steps: [{ ...step, inputTokens: -1 }] }, '/sessions/0/steps/0/inputTokens'],
      [{ steps: [{ ...step, input: 'x'.repeat(1_048_577) }] }, '/sessions/0/steps/0/input'],
      [{ scores: [{ name: 'q', value: 1, stepId: 'zz' }] }, '/sessions/0/scores/0/stepId'],
      [{ metadata: { bad: '\ud800' } }, '/sessions/0/metadata/bad'],
    ] as const) {
      const list = [{ ...session(), ...broken } as SubmittedSession]
      const refused = await submit(world, 'b', list, '0'.repeat(64))
      assert.ok(!refused.ok)
      assert.deepEqual(
        [refused.refusal.code, refused.refusal.errors?.[0]?.pointer],
        ['invalid_request', pointer],
      )
    }
  })

  it('with ids that are missing or malformed is refused once for each of them', async () => {
    const world = await createWorld()
    const [step] = session().steps
    assert.ok(step)
    const { stepId: _, ...nameless } = step
    const { sessionId: __, ...unnamed } = session()
    const long = { ...step, stepId: 'x'.repeat(1_000) }
    const list = [
      { ...session(), steps: [nameless, nameless, long, long] },
      ...[unnamed, unnamed, session({ sessionId: '' }), session({ sessionId: '' })],
    ] as readonly unknown[] as readonly SubmittedSession[]
    const refused = await submit(world, 'b', list, '0'.repeat(64))
    assert.ok(!refused.ok)
    assert.deepEqual(
      refused.refusal.errors?.map(({ pointer }) => pointer),
      [
        ...[0, 1, 2, 3].map((at) => `/sessions/0/steps/${at}/stepId`),
        ...[1, 2, 3, 4].map((at) => `/sessions/${at}/sessionId`),
      ],
    )
  })

  it('refuses a session that names another kind of leaf', async () => {
    const world = await createWorld()
    const posing = { ...session(), leafType: 'review-case' }
    const before = kept(world)
    const refused = await submit(world, 'b-1', [posing as SubmittedSession])
    assert.ok(!refused.ok)
    assert.equal(refused.refusal.code, 'invalid_request')
    assert.equal(refused.refusal.errors?.[0]?.pointer, '/sessions/0/leafType')
    assert.deepEqual(kept(world), before)
  })

  it('is followed by a batch with the head of the audit log, once for each head', async () => {
    const world = await createWorld()
    const heads = () =>
      world
        .rows(batches)
        .flatMap((batch) => batch.leaves)
        .flatMap((leaf) => ('position' in leaf ? leaf.position : []))
    const settled = async () => {
      for (let at = 0; at < 4; at++) await world.pass(15_000)
    }
    unwrap(await submit(world, 'b-1', [session()]))
    await settled()
    assert.equal(heads().length, 1)
    unwrap(await submit(world, 'b-2', [session({ sessionId: 's-2' })]))
    await settled()
    assert.equal(heads().length, 1, 'the log has not gone on')
    const { applicationId } = world.owner
    const label = { applicationId, label: 'another' }
    unwrap(await world.service.applicationKeys.create(world.admin, label))
    unwrap(await submit(world, 'b-3', [session({ sessionId: 's-3' })]))
    await settled()
    const [first, second, ...more] = heads().toSorted((a, b) => a - b)
    assert.ok(first !== undefined && second !== undefined && second > first)
    assert.deepEqual(more, [])
  })
})
