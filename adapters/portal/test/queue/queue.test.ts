import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { QueuedCaseAnswer } from '@countersign/client'
import fc from 'fast-check'
import { spokenBetween } from '../../app/parts/deadline.ts'
import { filterOf, queryOf, states, tiers, views } from '../../app/queue/filters.ts'
import { newsOf, newsText } from '../../app/queue/news.ts'

const row = (number: number, change: Partial<QueuedCaseAnswer> = {}): QueuedCaseAnswer => ({
  reviewCaseId: `rc_${number}`,
  applicationId: 'app_1',
  applicationName: 'Payments',
  sessionId: 'ses_1',
  title: null,
  tool: null,
  reviewTier: 'standard',
  reasonCategory: 'other',
  state: 'open',
  decision: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  dueAt: new Date(Date.parse('2026-01-01T00:00:00.000Z') + number * 60_000).toISOString(),
  expiresAt: '2026-01-02T00:00:00.000Z',
  overdue: false,
  followUp: null,
  assignee: null,
  idleSince: null,
  requestedBy: null,
  caseVersion: 1,
  eventSequence: 1,
  ...change,
})

describe('news of the queue', () => {
  it('counts what came, what was taken, answered and ended', () => {
    const taken = { assignee: { memberId: 'mem_2', name: 'M.' } }
    const drawn = [row(1), row(2), row(3, { followUp: 'asked' }), row(4)]
    const found = [row(0), row(1), row(2, taken), row(3, { followUp: 'answered' })]
    const { rows, news } = newsOf(drawn, found, true)
    assert.deepEqual(news, { added: 1, taken: 1, ended: 1, answered: 1 })
    assert.deepEqual(
      rows.map(({ hasEnded }) => hasEnded),
      [false, false, false, true],
    )
    assert.equal(newsText(news), '1 new, 1 taken or handed over, 1 answered, 1 ended')
    assert.equal(newsText(newsOf(drawn, drawn, true).news), '')
  })

  it('keeps each row that is drawn in its place, whatever was found', () => {
    const rowsOf = fc
      .uniqueArray(fc.nat(30))
      .map((numbers) => numbers.sort((a, b) => a - b).map((number) => row(number)))
    fc.assert(
      fc.property(rowsOf, rowsOf, fc.boolean(), (drawn, found, isWhole) => {
        const { rows, news } = newsOf(drawn, found, isWhole)
        assert.deepEqual(
          rows.map((one) => one.row),
          drawn,
        )
        const ids = new Set(found.map(({ reviewCaseId }) => reviewCaseId))
        for (const { row: one, hasEnded } of rows)
          assert.ok(!(hasEnded && ids.has(one.reviewCaseId)))
        if (isWhole) assert.equal(drawn.length - news.ended + news.added, found.length)
      }),
    )
  })

  it('takes no row for ended that lies beyond what was read', () => {
    const { news } = newsOf([row(1), row(2), row(3)], [row(1), row(2)], false)
    assert.equal(news.ended, 0)
  })
})

describe('the filter of the queue', () => {
  it('is what its address says', () => {
    const filters = fc.record(
      {
        view: fc.constantFrom(...views),
        tier: fc.constantFrom(...tiers),
        state: fc.constantFrom(...states.filter((state) => state !== 'open')),
        applicationId: fc.string({ minLength: 1 }),
      },
      { requiredKeys: ['view'] },
    )
    fc.assert(
      fc.property(filters, (filter) => {
        const query = Object.fromEntries(new URLSearchParams(queryOf(filter)))
        assert.deepEqual(filterOf(query), { ...filter })
      }),
    )
    assert.deepEqual(filterOf({ view: 'x', tier: 'y', state: 'z' }), { view: 'all' })
    assert.equal(queryOf({ view: 'all' }), '')
  })
})

describe('the end of a case', () => {
  it('is spoken 10 minutes, 2 minutes and 30 seconds before', () => {
    assert.equal(spokenBetween(600_001, 600_000), '10 minutes left')
    assert.equal(spokenBetween(600_000, 599_000), null)
    assert.equal(spokenBetween(121_000, 119_000), '2 minutes left')
    assert.equal(spokenBetween(700_000, 20_000), '30 seconds left')
    assert.equal(spokenBetween(31_000, -1), null)
  })
})
