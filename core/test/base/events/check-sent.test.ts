import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodeEvent, faultOfSent, type ReviewEvent } from '@countersign/core/events'

const event: ReviewEvent = {
  id: 'evt_1',
  type: 'review.case.created',
  schemaVersion: 1,
  time: '2026-03-01T09:00:00.000Z',
  tenantId: 'ten_1',
  applicationId: 'app_1',
  sessionId: 'session-1',
  reviewCaseId: 'rc_1',
  caseVersion: 1,
  eventSequence: 1,
  decision: null,
  reviewTier: 'standard',
  dueAt: '2026-03-02T09:00:00.000Z',
  expiresAt: '2026-03-08T09:00:00.000Z',
  reasonCategory: 'high_risk_action',
  presentationDigest: null,
  caseUrl: 'https://ingest.example/v1/review-cases/rc_1',
}
const alert = {
  id: 'evt_2',
  type: 'alert.triggered',
  timestamp: event.time,
  tenantId: 'ten_1',
  applicationId: null,
  data: {
    alertRuleId: 'rule_1',
    alertRuleName: 'Errors',
    metricName: 'steps.error_percent',
    currentValue: 12.5,
    threshold: 10,
    severity: 'warning',
  },
}

describe('faultOfSent', () => {
  it('finds nothing in what the catalogue promises', () => {
    assert.equal(faultOfSent(JSON.parse(new TextDecoder().decode(encodeEvent(event)))), null)
    assert.equal(faultOfSent(alert), null)
  })

  const { presentationDigest: _, ...left } = event
  const { severity: __, ...data } = alert.data
  const faults: [string, unknown, RegExp][] = [
    ['no object', [event], /expected an object/],
    ['no type', { ...event, type: undefined }, /^type/],
    ['another type', { ...event, type: 'review.case.escalated' }, /^type/],
    ['a member left out that may be null', left, /^presentationDigest: left out/],
    ['a member left out of the data', { ...alert, data }, /^data\.severity: expected a string/],
    ['a member besides', { ...event, comment: 'x' }, /^comment: no member/],
    [
      'a member besides in the data',
      { ...alert, data: { ...alert.data, note: 'x' } },
      /^data\.note: no member/,
    ],
    ['a reason of no list', { ...event, reasonCategory: 'full_moon' }, /^reasonCategory/],
    ['a time without milliseconds', { ...event, time: '2026-03-01T09:00:00Z' }, /^time/],
    ['another kind of value', { ...event, caseVersion: '1' }, /^caseVersion: expected a whole/],
    ['a value of no list', { ...event, reviewTier: 'low' }, /^reviewTier: expected standard or/],
  ]
  for (const [what, body, expected] of faults)
    it(`finds ${what}`, () => assert.match(faultOfSent(body) ?? '', expected))
})
