import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { comparePositions, type ReviewEvent } from '@countersign/core/events'
import { type Difference, memoryInbox, ReconcileError, reconcile } from '@countersign/receiver-kit'
import { sampleReviewEvent } from '@countersign/receiver-kit/testing'
import fc from 'fast-check'
import { start } from './support.ts'

interface Listed {
  readonly event: ReviewEvent
  readonly deliveryStatus: string
  readonly deliveredAt: string | null
}

const listed = (number: number, reviewCaseId = 'rc_1', deliveryStatus = 'delivered'): Listed => ({
  event: sampleReviewEvent({
    id: `evt_${number}`,
    reviewCaseId,
    caseVersion: number,
    eventSequence: number,
    time: new Date(start + number * 1_000).toISOString(),
  }),
  deliveryStatus,
  deliveredAt: null,
})

/** The recovery read: newest first; `between` may add entries before each page is read. */
function service(history: Listed[], between: (history: Listed[], page: number) => void = () => {}) {
  const asked: string[] = []
  const fetch = async (url: string, init: { headers: Readonly<Record<string, string>> }) => {
    asked.push(url)
    const query = new URL(url).searchParams
    const page = Number(query.get('page'))
    const size = Number(query.get('pageSize'))
    between(history, page)
    const newestFirst = history.toReversed()
    const events = newestFirst.slice((page - 1) * size, page * size)
    const hasMore = page * size < history.length
    const answer = { subscriptionId: query.get('subscriptionId'), events, page, hasMore }
    const authorized = init.headers.cookie === 'service_customer_token=token'
    return { status: authorized ? 200 : 401, json: async () => answer }
  }
  return { fetch, asked }
}

const options = {
  portalUrl: 'https://portal.example/',
  subscriptionId: 'wh_1',
  token: 'token',
}

async function differences(from: AsyncIterable<Difference>) {
  const missing: string[] = []
  const behind: string[] = []
  for await (const one of from)
    if (one.kind === 'missing') missing.push(one.event.id)
    else
      behind.push(
        `${one.reviewCaseId} ${one.inboxHead?.eventSequence ?? 'none'} < ${one.serviceHead.eventSequence}`,
      )
  return { missing, behind }
}

async function inboxWith(entries: readonly Listed[]) {
  const inbox = memoryInbox()
  for (const { event } of entries) {
    const { id, type, reviewCaseId, caseVersion, eventSequence } = event
    const position = { reviewCaseId, caseVersion, eventSequence }
    const body = new Uint8Array(1)
    await inbox.store({ id, type, topic: 'event', position, body, receivedAt: start })
    await inbox.take({ topic: 'event', now: start, holdUntil: start, limit: 1 })
    await inbox.handled({ id, attempt: 1 }, start)
  }
  return inbox
}

describe('reconcile', () => {
  it('tells what the inbox lacks, and the cases that went on', async () => {
    const history = [listed(1), listed(2), listed(3, 'rc_2'), listed(4, 'rc_1', 'dead_lettered')]
    const inbox = await inboxWith([history[0] as Listed, history[2] as Listed])
    const { fetch, asked } = service(history)
    assert.deepEqual(await differences(reconcile({ ...options, inbox, fetch, pageSize: 3 })), {
      missing: ['evt_4', 'evt_2'],
      behind: ['rc_1 1 < 4'],
    })
    assert.deepEqual(asked, [
      'https://portal.example/v1/review-events?subscriptionId=wh_1&page=1&pageSize=3',
      'https://portal.example/v1/review-events?subscriptionId=wh_1&page=2&pageSize=3',
    ])
  })

  it('names each missing event once, though entries arrive while it reads', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 40 }),
        fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 20 }),
        fc.integer({ min: 1, max: 7 }),
        fc.infiniteStream(fc.boolean()),
        async (numbers, arrivals, pageSize, kept) => {
          const history = numbers.map((number) => listed(number, `rc_${number % 3}`))
          const atStart = [...history]
          const stored = atStart.filter(() => kept.next().value)
          let next = 100
          const { fetch } = service(history, (entries) => {
            for (let left = arrivals.pop() ?? 0; left > 0; left--) entries.push(listed(next++))
          })
          const inbox = await inboxWith(stored)
          const found = await differences(reconcile({ ...options, inbox, fetch, pageSize }))
          const early = found.missing.filter((id) => Number(id.slice(4)) < 100)
          const lacking = atStart
            .filter((one) => !stored.includes(one))
            .map(({ event }) => event.id)
          assert.deepEqual(early.sort(), lacking.sort())
          assert.equal(new Set(found.missing).size, found.missing.length)
        },
      ),
      { numRuns: 100 },
    ))

  it('stops at `since`, a page later', async () => {
    const history = Array.from({ length: 50 }, (_, at) => listed(at + 1))
    const { fetch, asked } = service(history)
    const found = await differences(
      reconcile({ ...options, inbox: memoryInbox(), fetch, pageSize: 10, since: start + 45_000 }),
    )
    assert.deepEqual(found.missing, ['evt_50', 'evt_49', 'evt_48', 'evt_47', 'evt_46', 'evt_45'])
    assert.equal(asked.length, 2)
  })

  it('tells an event without a time as missing, whatever stands in its place', async () => {
    for (const time of [{ toString: null }, [{ toString: null }], 7, 'soon', null]) {
      const { event, ...entry } = listed(1)
      const history = [{ ...entry, event: { ...event, time } as unknown as ReviewEvent }]
      const { fetch } = service(history)
      for (const since of [Number.NEGATIVE_INFINITY, start]) {
        const found = differences(reconcile({ ...options, inbox: memoryInbox(), fetch, since }))
        assert.deepEqual((await found).missing, ['evt_1'])
      }
    }
  })

  it('finds nothing where inbox and service agree', async () => {
    const history = [listed(3), listed(1), listed(2)]
    const inbox = await inboxWith(history.toSorted((a, b) => comparePositions(a.event, b.event)))
    const { fetch } = service(history)
    assert.deepEqual(await differences(reconcile({ ...options, inbox, fetch })), {
      missing: [],
      behind: [],
    })
  })

  const textless = (member: string) => {
    const { event, ...entry } = listed(1)
    const odd = { [member]: { toString: null } }
    return { ...entry, event: { ...event, ...odd }, ...odd }
  }
  const answer = (status: number, body: unknown) => async () => ({ status, json: async () => body })
  const failures: [string, () => Promise<{ status: number; json(): Promise<unknown> }>, RegExp][] =
    [
      ['an ended token', answer(401, {}), /401: the token/],
      ['a missing permission', answer(403, {}), /Manage Integrations/],
      ['an unknown subscription', answer(404, {}), /no such subscription/],
      ['another shape', answer(200, { events: 'none' }), /expected \{events, hasMore\}/],
      ['another entry', answer(200, { events: [{}], hasMore: false }), /expected entries/],
      [
        'another status',
        answer(200, { events: [textless('deliveryStatus')], hasMore: false }),
        /expected entries/,
      ],
      [
        'an id without a text',
        answer(200, { events: [textless('id')], hasMore: false }),
        /expected entries/,
      ],
      ['a dead line', async () => Promise.reject(new Error('ECONNRESET')), /ECONNRESET/],
    ]
  for (const [what, fetch, message] of failures)
    it(`throws for ${what}`, () =>
      assert.rejects(
        differences(reconcile({ ...options, inbox: memoryInbox(), fetch })),
        (error) => error instanceof ReconcileError && message.test(error.message),
      ))

  it('passes over applications that the receiver does not serve', async () => {
    const other = listed(2, 'rc_2')
    const foreign = { ...other, event: { ...other.event, applicationId: 'app_other' } }
    const { fetch } = service([listed(1), foreign])
    const common = { ...options, fetch, inbox: memoryInbox() }
    const found = await differences(reconcile({ ...common, applicationId: 'app_sample' }))
    assert.deepEqual(found, { missing: ['evt_1'], behind: ['rc_1 none < 1'] })
    assert.equal((await differences(reconcile(common))).missing.length, 2)
  })
})
