import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { applications } from '../../../applications/records.ts'
import { deliveries } from '../../../outbox/records.ts'
import { webhooks } from '../../../webhooks/records.ts'
import {
  ann,
  app,
  auditor,
  bob,
  createBench,
  foreigner,
  hour,
  minute,
  opening,
  otherApp,
  seenOf,
  start,
  value,
} from '../bench.ts'

type Bench = Awaited<ReturnType<typeof createBench>>
const iso = (at: number) => new Date(at).toISOString()

async function casesOf(bench: Bench, member = ann) {
  return value(await bench.portal.readSummary(member, {})).reviewCases
}

describe('the summary', () => {
  it('counts what waits for a reviewer, by the clock and by who asks', async () => {
    const bench = await createBench()
    const { cases, clock, open, portal } = bench
    assert.deepEqual(value(await portal.readSummary(ann, {})), {
      serverTime: iso(start),
      reviewCases: { mine: 0, unassigned: 0, overdue: 0, answered: 0, soonestDueAt: null },
      webhooks: { turnedOff: 0, failing: 0, deadLettered: 0, unverified: 0 },
      sandbox: false,
    })
    const [one, two] = [await open({ reviewTier: 'high' }), await open({ reviewTier: 'urgent' })]
    await open()
    await cases.claim(ann, { reviewCaseId: one.reviewCaseId })
    await cases.claim(bob, { reviewCaseId: two.reviewCaseId })
    const waiting = { mine: 1, unassigned: 1, overdue: 0, answered: 0, soonestDueAt: one.dueAt }
    assert.deepEqual(await casesOf(bench), waiting)
    // Of others' cases only that they are overdue.
    await clock.advance(30 * minute - 1)
    assert.deepEqual(await casesOf(bench), waiting)
    await clock.advance(1)
    assert.deepEqual(await casesOf(bench), { ...waiting, overdue: 1 })
    assert.equal((await casesOf(bench, bob))?.soonestDueAt, two.dueAt)
    // Past its end it counts no more, before anybody has recorded that.
    await clock.advance(4 * hour)
    assert.equal(bench.stored(two.reviewCaseId).state, 'open')
    assert.deepEqual(await casesOf(bench), { ...waiting, overdue: 1 })
    assert.deepEqual(await casesOf(bench, bob), {
      ...waiting,
      mine: 0,
      overdue: 1,
      soonestDueAt: iso(start + 24 * hour),
    })
  })

  it('counts a question as answered until it is asked again, and for who asked alone', async () => {
    const bench = await createBench()
    const { cases, open } = bench
    let review = await open()
    const { reviewCaseId } = review
    const answered = async (member = ann) => (await casesOf(bench, member))?.answered
    const ask = async (member = ann) => {
      review = value(
        await cases.requestFollowUp(member, { reviewCaseId, ...seenOf(review), question: 'Why?' }),
      )
    }
    review = value(await cases.claim(ann, { reviewCaseId }))
    await ask()
    assert.equal(await answered(), 0)
    review = value(
      await cases.answerFollowUp(app, { reviewCaseId, ...seenOf(review), answer: 'So.' }),
    )
    assert.deepEqual([await answered(), await answered(bob)], [1, 0])
    const handedTo = async (reviewerId: string, by = ann) => {
      review = value(await cases.reassign(by, { reviewCaseId, ...seenOf(review), reviewerId }))
    }
    await handedTo('mem_bob')
    assert.deepEqual([await answered(), await answered(bob)], [0, 1])
    await ask(bob)
    assert.equal(await answered(bob), 0)
    // A question that its asker left waits for no answer.
    await handedTo('mem_ann', bob)
    assert.deepEqual([await answered(), bench.stored(reviewCaseId).followUp], [0, null])
  })

  it('leaves out cases of applications that are being deleted, and other organizations', async () => {
    const bench = await createBench()
    const { cases, open } = bench
    for (let n = 0; n < 3; n++) await open({ reviewTier: 'high' })
    const theirs = []
    for (let n = 0; n < 10; n++) {
      const input = opening({ reviewTier: 'urgent', checkpointId: `other ${n}` })
      theirs.push(value(await cases.open(otherApp, input)))
    }
    value(await cases.claim(ann, { reviewCaseId: theirs[0]?.reviewCaseId ?? '' }))
    await bench.clock.advance(hour)
    const before = await casesOf(bench)
    assert.deepEqual([before?.mine, before?.unassigned, before?.overdue], [1, 12, 10])
    await bench.change(
      applications,
      ({ applicationId }) => applicationId === 'app_2',
      () => ({ lifecycleState: 'pending_deletion' as const }),
    )
    assert.deepEqual(await casesOf(bench), {
      ...{ mine: 0, unassigned: 3, overdue: 0, answered: 0 },
      soonestDueAt: iso(start + 4 * hour),
    })
    assert.equal((await casesOf(bench, foreigner))?.unassigned, 0)
  })

  it('tells members without Review Cases of webhooks alone', async () => {
    const bench = await createBench()
    await bench.open()
    const webhook = (webhookId: string, more: object) => ({
      in: webhooks.name,
      row: {
        ...{
          webhookId,
          tenantId: 'ten_1',
          status: 'receiving',
          verification: { state: 'verified' },
        },
        ...more,
      },
      was: null,
    })
    const delivery = (endpointId: string, messageId: string, more: object) => ({
      in: deliveries.name,
      row: {
        ...{ endpointId, messageId, tenantId: 'ten_1', applicationId: null, kind: 'event' },
        ...{ due: null, logged: 0, interrupted: 0, attempts: 1, firstAttemptAt: null },
        ...{ deliveredAt: null, endedAt: null },
        ...more,
      },
      was: null,
    })
    const columnsOf = Object.keys(deliveries.columns)
    const filled = (row: object) => ({
      ...Object.fromEntries(columnsOf.map((each) => [each, null])),
      ...row,
    })
    const puts = [
      webhook('wh_well', {}),
      webhook('wh_off', { status: 'turned_off', verification: { state: 'pending' } }),
      webhook('wh_new', { verification: { state: 'pending' } }),
      webhook('wh_theirs', { tenantId: 'ten_2', status: 'turned_off' }),
      delivery('wh_well', 'evt_1', { status: 'retry_scheduled' }),
      delivery('wh_well', 'evt_2', { status: 'retry_scheduled' }),
      delivery('wh_well', 'evt_3', { status: 'delivered' }),
      delivery('wh_well', 'evt_4', { status: 'dead_lettered' }),
      delivery('wh_well', 'evt_5', { status: 'dead_lettered', kind: 'test' }),
      delivery('wh_off', 'evt_1', { status: 'dead_lettered' }),
      delivery('wh_off', 'evt_2', { status: 'retry_scheduled' }),
      delivery('wh_theirs', 'evt_9', { status: 'dead_lettered', tenantId: 'ten_2' }),
    ].map((put) => ({ ...put, row: put.in === deliveries.name ? filled(put.row) : put.row }))
    await bench.store.commit({ tenant: null, puts })
    const told = value(await bench.portal.readSummary(auditor, {}))
    assert.equal(told.reviewCases, null)
    assert.deepEqual(told.webhooks, { turnedOff: 1, failing: 1, deadLettered: 2, unverified: 1 })
  })

  it('of a guest is of the sandbox', async () => {
    const bench = await createBench()
    await bench.open()
    const guest = { ...foreigner, tenantId: 'ten_1', guest: true } as const
    const told = value(await bench.portal.readSummary(guest, {}))
    assert.deepEqual([told.sandbox, told.reviewCases?.unassigned], [true, 1])
  })
})
