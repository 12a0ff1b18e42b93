import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CaseFilter, type CaseView, reviewCases } from '@countersign/core/internal'
import { gatherPage, type Result } from '@countersign/core/ledger'
import { applications } from '../../applications/records.ts'
import type { Actor } from '../../kernel/callers/actor.ts'
import { members } from '../../organizations/access/records.ts'
import { applicationKeys } from '../../organizations/api-keys/key-records.ts'
import {
  admin,
  ann,
  app,
  auditor,
  type Bench,
  bob,
  createBench,
  foreignApp,
  foreigner,
  opening,
  otherApp,
  refused,
  seenOf,
  system,
  value,
} from './bench.ts'

type UseCase = (bench: Bench, actor: Actor, id: string) => Promise<Result<unknown>>
const seen = { caseVersion: 1 }
const useCases: Readonly<Record<string, UseCase>> = {
  open: ({ cases }, actor) => cases.open(actor, opening()),
  read: ({ cases }, actor, id) => cases.read(actor, { reviewCaseId: id }),
  find: ({ cases, store }, actor, id) => {
    const row = store
      .rows(reviewCases)
      .find(({ row: { reviewCaseId } }) => reviewCaseId === id)?.row
    const { sessionId = 'none', checkpointId = 'none' } = row ?? {}
    return cases.find(actor, { sessionId, checkpointId })
  },
  list: ({ cases }, actor) => cases.list(actor, { page: 1, pageSize: 20 }),
  listCallbackAttempts: ({ cases }, actor, id) =>
    cases.listCallbackAttempts(actor, { reviewCaseId: id, page: 1, pageSize: 20 }),
  claim: ({ cases }, actor, id) => cases.claim(actor, { reviewCaseId: id, ...seen }),
  reassign: ({ cases }, actor, id) =>
    cases.reassign(actor, { reviewCaseId: id, ...seen, reviewerId: 'mem_bob' }),
  requestFollowUp: ({ cases }, actor, id) =>
    cases.requestFollowUp(actor, { reviewCaseId: id, ...seen, question: '?' }),
  answerFollowUp: ({ cases }, actor, id) =>
    cases.answerFollowUp(actor, { reviewCaseId: id, ...seen, answer: '!' }),
  decide: ({ cases }, actor, id) =>
    cases.decide(actor, {
      reviewCaseId: id,
      ...seen,
      presentationDigest: '0'.repeat(64),
      decision: 'approved',
    }),
  cancel: ({ cases }, actor, id) =>
    cases.cancel(actor, { reviewCaseId: id, ...seen, reasonCategory: 'policy_rule_withdrawn' }),
  reportContinuation: ({ cases }, actor, id) =>
    cases.reportContinuation(actor, { reviewCaseId: id, outcome: 'failed' }),
  replayCallback: ({ cases }, actor, id) => cases.replayCallback(actor, { reviewCaseId: id }),
}

// Who passes to the case itself: `yes`, `no` (403), or `-`: the case is as good as unknown (404).
const actors = { admin, reviewer: ann, auditor, foreigner, app, otherApp, foreignApp, system }
const matrix: Readonly<Record<string, string>> = {
  //                   admin reviewer auditor foreigner app otherApp foreignApp system
  open: '              no    no       no      no        yes yes      yes        no',
  read: '              yes   yes      no      -         yes -        -          yes',
  find: '              no    no       no      no        yes -        -          no',
  list: '              yes   yes      no      yes       no  no       no         no',
  listCallbackAttempts: 'yes yes    no      -         no  no       no         no',
  claim: '             yes   yes      no      -         no  no       no         no',
  reassign: '          yes   yes      no      -         no  no       no         no',
  requestFollowUp: '   yes   yes      no      -         no  no       no         no',
  answerFollowUp: '    no    no       no      no        yes -        -          no',
  decide: '            yes   yes      no      -         no  no       no         no',
  cancel: '            yes   no       no      -         yes -        -          yes',
  reportContinuation: 'no    no       no      no        yes -        -          no',
  replayCallback: '    yes   yes      no      -         no  no       no         no',
}

describe('who may do what to a case', () => {
  for (const [name, row] of Object.entries(matrix))
    it(name, async () => {
      const words = row.trim().split(/\s+/)
      for (const [at, [who, actor]] of Object.entries(actors).entries()) {
        const bench = await createBench()
        const { reviewCaseId } = await bench.open()
        const ask = useCases[name]
        assert.ok(ask)
        const result = await ask(bench, actor, reviewCaseId)
        const code = result.ok ? 'ok' : result.refusal.code
        const label = `${who}: ${code}`
        if (words[at] === 'no') assert.equal(code, 'forbidden', label)
        else if (words[at] === '-') {
          assert.equal(code, 'not_found', label)
          const unknown = await ask(bench, actor, `rc_${'0'.repeat(26)}`)
          assert.deepEqual(result, unknown, label)
        } else
          assert.ok(
            !['not_found', 'authentication_required'].includes(code) &&
              (code !== 'forbidden' || name === 'reassign'),
            label,
          )
      }
    })

  it('lists the own tenant alone, newest first, by state, assignee and tier', async () => {
    const { cases, clock, open } = await createBench()
    const ids: string[] = []
    for (let n = 0; n < 5; n++) {
      await clock.advance(10)
      const tier = n % 2 === 0 ? 'high' : 'standard'
      ids.unshift((await open({ reviewTier: tier })).reviewCaseId)
    }
    const [newest = '', , , , oldest = ''] = ids
    value(await cases.claim(ann, { reviewCaseId: newest }))
    value(await cases.claim(bob, { reviewCaseId: oldest }))
    value(await cases.cancel(app, { reviewCaseId: oldest, reasonCategory: 'end_user_cancelled' }))
    const listed = async (filter: CaseFilter, page = 1, pageSize = 20) => {
      const query = { page, pageSize }
      const found = await gatherPage(value(await cases.list(ann, { ...filter, ...query })), query)
      return { ...found, items: found.items.map(({ reviewCaseId }) => reviewCaseId) }
    }
    assert.deepEqual((await listed({})).items, ids)
    assert.deepEqual(await listed({}, 2, 2), {
      items: ids.slice(2, 4),
      totalCount: 5,
      page: 2,
      pageSize: 2,
      hasMore: true,
    })
    assert.equal((await listed({}, 3, 2)).hasMore, false)
    assert.deepEqual((await listed({ state: 'open' })).items, ids.slice(0, 4))
    assert.deepEqual((await listed({ assignee: 'me' })).items, [newest])
    assert.deepEqual((await listed({ assignee: 'mem_bob' })).items, [oldest])
    assert.deepEqual((await listed({ assignee: 'none' })).items, ids.slice(1, 4))
    assert.deepEqual((await listed({ tier: 'standard' })).items, [ids[1], ids[3]])
    assert.deepEqual((await listed({ assignee: 'none', tier: 'high', state: 'open' })).items, [
      ids[2],
    ])
    const foreign = value(await cases.list(foreigner, { page: 1, pageSize: 20 }))
    assert.equal(foreign.totalCount, 0)
  })

  it('refuses a page or a filter that makes no sense', async () => {
    const { cases } = await createBench()
    const pointers = async (filter: object, page = 1, pageSize = 20) => {
      const refusal = refused(await cases.list(ann, { ...filter, page, pageSize }))
      return refusal.errors?.map(({ pointer }) => pointer)
    }
    assert.deepEqual(await pointers({}, 0), ['/page'])
    assert.deepEqual(await pointers({}, 1, 101), ['/pageSize'])
    assert.deepEqual(await pointers({ state: 'shut', tier: 'low' }), ['/state', '/tier'])
    assert.deepEqual(await pointers({ assignee: 'a\0' }), ['/assignee'])
  })

  it('takes nothing but an id of ours for a case', async () => {
    const { cases } = await createBench()
    for (const id of ['rc_', "rc_' or 1=1", `rc_${'z'.repeat(27)}`, '../secret'])
      assert.equal(refused(await cases.read(admin, { reviewCaseId: id })).code, 'not_found')
    for (const id of ['', 'rc_\0'])
      assert.equal(refused(await cases.read(admin, { reviewCaseId: id })).code, 'invalid_request')
  })

  it('reads no row of a case that is another’s, however large it is', async () => {
    for (const stranger of [foreigner, foreignApp, otherApp]) {
      const bench = await createBench()
      const { reviewCaseId } = await bench.open({ presentation: { text: 'x'.repeat(1_000_000) } })
      const found: number[] = []
      const { read } = bench.store
      bench.store.read = async (tenant, reads) => {
        const answers = await read(tenant, reads)
        found.push(...answers.map(({ rows }) => rows.length))
        return answers
      }
      const seen = async (id: string) => {
        found.length = 0
        assert.equal(
          refused(await bench.cases.read(stranger, { reviewCaseId: id })).code,
          'not_found',
        )
        return [...found]
      }
      assert.deepEqual(await seen(reviewCaseId), await seen(`rc_${'0'.repeat(26)}`))
    }
  })

  it('wants to know what a member saw before they cancel', async () => {
    const { cases, open } = await createBench()
    const { reviewCaseId } = await open()
    const reasonCategory = 'policy_rule_withdrawn'
    const blind = refused(await cases.cancel(admin, { reviewCaseId, reasonCategory }))
    assert.deepEqual(blind.errors?.[0]?.pointer, '/caseVersion')
    value(await cases.cancel(system, { reviewCaseId, reasonCategory }))
  })
})

describe('nothing succeeds after a right has ended, even when its end is committed meanwhile', () => {
  const claim = ({ cases }: Bench, id: string): Promise<Result<CaseView>> =>
    cases.claim(ann, { reviewCaseId: id })
  const isAnn = ({ memberId }: { memberId: string }) => memberId === 'mem_ann'

  it('a suspended member', async () => {
    const bench = await createBench()
    const { reviewCaseId } = await bench.open()
    const [claimed] = await Promise.all([
      claim(bench, reviewCaseId),
      bench.change(members, isAnn, () => ({ status: 'Suspended' as const })),
    ])
    assert.equal(refused(claimed).code, 'authentication_required')
    assert.equal(bench.stored(reviewCaseId).assigneeId, null)
  })

  it('a member without the permission', async () => {
    const bench = await createBench()
    const { reviewCaseId } = await bench.open()
    const [claimed] = await Promise.all([
      claim(bench, reviewCaseId),
      bench.change(members, isAnn, () => ({ granted: [] })),
    ])
    assert.equal(refused(claimed).code, 'forbidden')
    assert.equal(refused(await bench.cases.read(ann, { reviewCaseId })).code, 'forbidden')
  })

  it('a reviewer who was just suspended as the new assignee', async () => {
    const bench = await createBench()
    const opened = await bench.open()
    const [moved] = await Promise.all([
      bench.cases.reassign(admin, {
        reviewCaseId: opened.reviewCaseId,
        ...seenOf(opened),
        reviewerId: 'mem_ann',
      }),
      bench.change(members, isAnn, () => ({ status: 'Suspended' as const })),
    ])
    assert.equal(refused(moved).code, 'reviewer_not_eligible')
  })

  it('a revoked application key', async () => {
    const bench = await createBench()
    const [opened] = await Promise.all([
      bench.cases.open(app, opening()),
      bench.change(
        applicationKeys,
        ({ keyId }) => keyId === app.keyId,
        () => ({ revokedAt: 1 }),
      ),
    ])
    assert.equal(refused(opened).code, 'authentication_required')
  })

  it('an application that is being deleted, for its reads as well', async () => {
    const bench = await createBench()
    const { reviewCaseId } = await bench.open()
    await bench.change(
      applications,
      ({ applicationId }) => applicationId === 'app_1',
      () => ({ lifecycleState: 'pending_deletion' as const }),
    )
    const asked = [
      bench.cases.read(app, { reviewCaseId }),
      bench.cases.cancel(app, { reviewCaseId, reasonCategory: 'end_user_cancelled' }),
    ]
    for (const result of await Promise.all(asked))
      assert.equal(refused(result).code, 'application_gone')
  })
})
