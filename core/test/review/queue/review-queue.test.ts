import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { QueuedCase } from '@countersign/core'
import fc from 'fast-check'
import { applications } from '../../../applications/records.ts'
import { hasLoneSurrogate } from '../../../base/text/text-rules.ts'
import { members } from '../../../organizations/access/records.ts'
import { titleOf, toolOf } from '../../../review/queue/title.ts'
import {
  admin,
  ann,
  app,
  auditor,
  bob,
  createBench,
  hour,
  minute,
  opening,
  otherApp,
  refused,
  seenOf,
  start,
  value,
} from '../bench.ts'

type Bench = Awaited<ReturnType<typeof createBench>>
type Asked = Parameters<Bench['portal']['listQueue']>[1]

async function part(bench: Bench, asked: Asked = {}, member = ann) {
  const listing = value(await bench.portal.listQueue(member, { limit: 100, ...asked }))
  const rows: QueuedCase[] = []
  for (;;) {
    const piece = await listing.pieces.next()
    if (piece.done) return { rows, next: piece.value, totalCount: listing.totalCount }
    rows.push(...piece.value)
  }
}

const idsOf = (rows: readonly { readonly reviewCaseId: string }[]) =>
  rows.map(({ reviewCaseId }) => reviewCaseId)

describe('the queue', () => {
  it('lists open cases by when they are due, with names and the application’s words', async () => {
    const bench = await createBench()
    const { cases, open, clock } = bench
    const standard = await open({ presentation: { title: 'Send mail', action: 'mail' } })
    const urgent = await open({ reviewTier: 'urgent', presentation: { action: { tool: 'pay' } } })
    const high = await open({ reviewTier: 'high', requestedBy: 'mem_bob' })
    const ended = await open({ reviewTier: 'urgent' })
    value(
      await cases.cancel(app, {
        reviewCaseId: ended.reviewCaseId,
        reasonCategory: 'end_user_cancelled',
      }),
    )
    const mine = value(await cases.claim(ann, { reviewCaseId: urgent.reviewCaseId }))
    const { rows, totalCount, next } = await part(bench)
    assert.deepEqual([totalCount, next], [3, null])
    assert.deepEqual(idsOf(rows), idsOf([urgent, high, standard]))
    assert.deepEqual(rows[0], {
      reviewCaseId: urgent.reviewCaseId,
      ...{ applicationId: 'app_1', applicationName: 'app_1', sessionId: urgent.sessionId },
      ...{ title: 'pay', tool: 'pay', reviewTier: 'urgent', reasonCategory: urgent.reasonCategory },
      ...{ state: 'open', decision: null, createdAt: urgent.createdAt },
      ...{ dueAt: urgent.dueAt, expiresAt: urgent.expiresAt, overdue: false, followUp: null },
      assignee: { memberId: 'mem_ann', name: 'mem_ann' },
      idleSince: mine.assignment?.assignedAt,
      ...{ requestedBy: null, caseVersion: mine.caseVersion, eventSequence: mine.eventSequence },
    })
    assert.deepEqual(
      [rows[1]?.requestedBy, rows[1]?.assignee, rows[2]?.title],
      ['mem_bob', null, 'Send mail'],
    )
    assert.deepEqual(
      idsOf((await part(bench, { sort: '-dueAt' })).rows),
      idsOf([standard, high, urgent]),
    )
    await clock.advance(30 * minute)
    assert.deepEqual(
      (await part(bench)).rows.map(({ overdue }) => overdue),
      [true, false, false],
    )
    assert.deepEqual(idsOf((await part(bench, { state: 'cancelled' })).rows), [ended.reviewCaseId])
  })

  it('chooses by each filter and by all of them, whichever part is asked for', async () => {
    const bench = await createBench()
    const { cases, clock } = bench
    const tiers = ['standard', 'high', 'urgent'] as const
    for (let n = 0; n < 36; n++) {
      const owner = n % 2 === 0 ? app : otherApp
      // Some are due at one time.
      const dueAt = start + (n % 5) * 20 * minute + 10 * minute
      const input = opening({
        checkpointId: `c${n}`,
        reviewTier: tiers[n % 3],
        dueAt,
        expiresAt: start + 100 * hour,
      })
      const { reviewCaseId } = value(await cases.open(owner, input))
      const reviewer = n % 4 === 0 ? ann : n % 4 === 1 ? bob : null
      if (!reviewer) continue
      let seen = value(await cases.claim(reviewer, { reviewCaseId }))
      if (n % 3 !== 0)
        seen = value(
          await cases.requestFollowUp(reviewer, { reviewCaseId, ...seenOf(seen), question: '?' }),
        )
      if (n % 3 === 2)
        seen = value(
          await cases.answerFollowUp(owner, { reviewCaseId, ...seenOf(seen), answer: '!' }),
        )
      if (n % 12 === 0)
        value(await cases.cancel(owner, { reviewCaseId, reasonCategory: 'end_user_cancelled' }))
    }
    await clock.advance(40 * minute)
    const now = start + 40 * minute
    const all = [...(await part(bench)).rows, ...(await part(bench, { state: 'cancelled' })).rows]
    assert.equal(all.length, 36)
    const order = (row: QueuedCase) => `${row.dueAt} ${row.reviewCaseId}`
    const fits: { readonly [Name in keyof Asked]?: (row: QueuedCase, asked: never) => boolean } = {
      state: (row, asked) => row.state === asked,
      assignee: ({ assignee }, asked: string) =>
        asked === 'none'
          ? assignee === null
          : assignee?.memberId === (asked === 'me' ? 'mem_ann' : asked),
      tier: (row, asked) => row.reviewTier === asked,
      applicationId: (row, asked) => row.applicationId === asked,
      overdue: (row, asked) => (Date.parse(row.dueAt) <= now && row.state === 'open') === asked,
      followUp: (row, asked) => row.followUp === asked,
      idleMinutes: ({ idleSince }, asked: number) =>
        idleSince !== null && Date.parse(idleSince) <= now - asked * minute,
    }
    const asking = fc.record(
      {
        state: fc.constantFrom('open', 'open', 'cancelled', 'decided'),
        assignee: fc.constantFrom('me', 'none', 'mem_bob'),
        tier: fc.constantFrom(...tiers),
        applicationId: fc.constantFrom('app_1', 'app_2', 'app_9'),
        overdue: fc.boolean(),
        followUp: fc.constantFrom('asked', 'answered'),
        idleMinutes: fc.constantFrom(1, 40, 41),
        sort: fc.constantFrom('dueAt', '-dueAt'),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(asking, fc.integer({ min: 1, max: 12 }), async (given, limit) => {
        const { sort, ...filters } = { state: 'open', ...given }
        const expected = all
          .filter((row) =>
            Object.entries(filters).every(([name, asked]) =>
              fits[name as keyof typeof fits]?.(row, asked as never),
            ),
          )
          .sort((a, b) => (order(a) < order(b) === (sort !== '-dueAt') ? -1 : 1))
        const found: QueuedCase[] = []
        for (let after: string | undefined; ; ) {
          const got = await part(bench, { ...(given as Asked), limit, ...(after && { after }) })
          if (after === undefined) assert.equal(got.totalCount, expected.length)
          assert.ok(got.rows.length <= limit)
          found.push(...got.rows)
          if (got.next === null) break
          after = got.next
        }
        assert.deepEqual(found, expected)
      }),
      { numRuns: 60 },
    )
  })

  it('tells which cases wait for who has them, from the moment that they do', async () => {
    const bench = await createBench()
    const { cases, clock, open } = bench
    const { reviewCaseId } = await open()
    const idle = async () => (await part(bench, { idleMinutes: 30 })).rows
    const halfAnHour = () => clock.advance(30 * minute + 1)
    await halfAnHour()
    assert.deepEqual(await idle(), [])
    const claimed = value(await cases.claim(ann, { reviewCaseId }))
    await clock.advance(30 * minute - 1)
    assert.deepEqual(await idle(), [])
    // Nothing is written in between; the claim was timed within a ms.
    await clock.advance(2)
    assert.deepEqual(
      (await idle()).map(({ idleSince }) => idleSince),
      [claimed.assignment?.assignedAt],
    )
    const asked = value(
      await cases.requestFollowUp(ann, { reviewCaseId, ...seenOf(claimed), question: '?' }),
    )
    await halfAnHour()
    assert.deepEqual(await idle(), [])
    const answered = value(
      await cases.answerFollowUp(app, { reviewCaseId, ...seenOf(asked), answer: '!' }),
    )
    await clock.advance(29 * minute)
    assert.deepEqual(await idle(), [])
    await clock.advance(2 * minute)
    assert.deepEqual(idsOf(await idle()), [reviewCaseId])
    const handed = value(
      await cases.reassign(admin, { reviewCaseId, ...seenOf(answered), reviewerId: 'mem_bob' }),
    )
    assert.deepEqual(await idle(), [])
    await halfAnHour()
    assert.deepEqual(idsOf(await idle()), [reviewCaseId])
    value(
      await cases.decide(bob, {
        ...{ reviewCaseId, ...seenOf(handed), decision: 'rejected' },
        presentationDigest: handed.presentationDigest ?? '',
      }),
    )
    assert.deepEqual(await idle(), [])
    const ended = (await part(bench, { state: 'decided' })).rows
    assert.deepEqual(
      ended.map(({ idleSince }) => idleSince),
      [null],
    )
  })

  it('leaves out what is past its end, and what belongs to an application that is being deleted', async () => {
    const bench = await createBench()
    const { cases, clock, open } = bench
    const urgent = await open({ reviewTier: 'urgent' })
    const standard = await open()
    const theirs = value(await cases.open(otherApp, opening({ checkpointId: 'theirs' })))
    await clock.advance(4 * hour)
    assert.equal(bench.stored(urgent.reviewCaseId).state, 'open')
    assert.deepEqual(idsOf((await part(bench)).rows), idsOf([standard, theirs]).sort())
    assert.deepEqual(idsOf((await part(bench, { overdue: true })).rows), [])
    await bench.change(
      applications,
      ({ applicationId }) => applicationId === 'app_2',
      () => ({ lifecycleState: 'pending_deletion' as const }),
    )
    const left = await part(bench)
    assert.deepEqual([idsOf(left.rows), left.totalCount], [[standard.reviewCaseId], 1])
    assert.equal((await part(bench, { applicationId: 'app_2' })).totalCount, 0)
  })

  it('is for reviewers, and ends with their right while it is read', async () => {
    const bench = await createBench()
    for (let n = 0; n < 12; n++) await bench.open()
    assert.equal(refused(await bench.portal.listQueue(auditor, {})).code, 'forbidden')
    assert.equal(
      refused(await bench.portal.listQueue(admin, { limit: 101 })).code,
      'invalid_request',
    )
    const { pieces } = value(await bench.portal.listQueue(ann, { limit: 12 }))
    assert.equal((await pieces.next()).done, false)
    await bench.change(
      members,
      ({ memberId }) => memberId === 'mem_ann',
      () => ({ granted: [] }),
    )
    await assert.rejects(pieces.next(), { code: 'forbidden' })
  })
})

describe('a title', () => {
  it('is what the application asked, beside what a policy shows', () => {
    assert.equal(titleOf({ title: 'rule', application: { title: 'Refund' } }), 'Refund')
    assert.equal(titleOf({ title: 'rule', application: 'CRM' }), 'rule')
  })

  it('is the first of title, summary, action and tool that is text', () => {
    const all = { title: ' T ', summary: 'S', action: 'A' }
    assert.equal(titleOf(all), 'T')
    assert.equal(titleOf({ ...all, title: ' ' }), 'S')
    assert.equal(titleOf({ ...all, title: 1, summary: null }), 'A')
    assert.equal(titleOf({ action: { tool: 'pay' } }), 'pay')
    for (const none of [null, {}, { title: '' }, { action: { tool: 7 } }, { action: [] }])
      assert.equal(titleOf(none), null)
  })

  it('is beside the tool that is called, where one is named', () => {
    assert.equal(toolOf({ title: 'Refund', action: { tool: ' pay ' } }), 'pay')
    assert.equal(toolOf({ action: 'mail', application: { action: { tool: 'pay' } } }), 'pay')
    for (const none of [null, {}, { action: 'pay' }, { action: { tool: 7 } }, { tool: 'pay' }])
      assert.equal(toolOf(none), null)
  })

  it('has at most 200 characters, each whole', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', '\u{1F600}', '\u{301}'), { maxLength: 260 }),
        (characters) => {
          const text = `x${characters.join('')}`
          const title = titleOf({ title: text }) ?? ''
          const length = [...title].length
          assert.ok(length <= 200 && !hasLoneSurrogate(title))
          if ([...text].length <= 200) assert.equal(title, text)
          else
            assert.ok(
              length === 200 && title.endsWith('\u2026') && text.startsWith(title.slice(0, -1)),
            )
        },
      ),
    )
  })
})
