import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type AlertRuleInput, unwrap } from '@countersign/core'
import { byNewKey } from '@countersign/core/testing'
import { alertMailMs } from '../../kernel/ledger/limits.ts'
import { unmailed } from '../../policies/alerts/mailing.ts'
import { alertRules } from '../../policies/alerts/records.ts'
import { judged, minute } from './judged.ts'

const anyOpen: AlertRuleInput = {
  ...{ name: 'Open cases', metricName: 'reviews.open', comparator: 'gt', threshold: 0 },
  severity: 'warning',
}
const hour = alertMailMs / minute

/** An organization whose cases cross the thresholds of its rules whenever a test says so. */
async function flapping(sends = true) {
  const world = await judged({ sends })
  const { service, admin, owner, clock, judge, letters } = world
  const by = await byNewKey(service, admin, owner.applicationId)
  const open = async (): Promise<string> => {
    const opened = await service.reviewCases.open(by, {
      ...{ sessionId: 's', checkpointId: 'pay', idempotencyKey: `open-${clock.now()}` },
      ...{ reasonCategory: 'high_risk_action', presentation: {} },
    })
    return unwrap(opened).reviewCaseId
  }
  const cancel = async (id: string) =>
    unwrap(
      await service.reviewCases.cancel(by, {
        reviewCaseId: id,
        reasonCategory: 'end_user_cancelled',
      }),
    )
  return {
    ...{ ...world, open },
    /** Triggers and resolves; takes three minutes each time. */
    async flap(times: number): Promise<void> {
      for (let at = 0; at < times; at++) {
        const id = await open()
        await judge()
        await cancel(id)
        await judge(2)
      }
    },
    /** Subjects of the mails so far, each with the number of alerts that it tells of. */
    mails: () =>
      letters.map(({ subject, text }) => {
        const [, times = '1'] = /triggered (\d+) times/.exec(text) ?? []
        return `${subject}, ${times}`
      }),
  }
}

const first = 'Alert: Open cases, 1'

describe('the mails of an alert rule', () => {
  it('are one an hour while it crosses its threshold back and forth; each event goes out', async () => {
    const { create, flap, mails, told } = await flapping()
    await create(anyOpen)
    await flap(hour / 3)
    assert.equal(told().length, 2 * (hour / 3))
    assert.deepEqual(mails(), [first])
    await flap(hour / 3)
    assert.equal(told().length, 4 * (hour / 3))
    assert.deepEqual(mails(), [first, `Alert: Open cases, ${hour / 3}`])
  })

  it('tell an hour later of an alert that stays', async () => {
    const { create, flap, open, judge, mails, letters } = await flapping()
    await create(anyOpen)
    await flap(3)
    await open()
    await judge(hour - 9)
    assert.deepEqual(mails(), [first])
    await judge()
    assert.deepEqual(mails(), [first, 'Alert: Open cases, 3'])
    assert.match(letters[1]?.text ?? '', /\(rule_\S+\) was triggered at 2026-01-01T00:1/)
    await judge(3 * hour)
    assert.equal(mails().length, 2, 'once for one alert')
  })

  it('tell nothing of an alert that is over when the hour ends', async () => {
    const { create, flap, judge, mails } = await flapping()
    await create(anyOpen)
    await flap(3)
    await judge(3 * hour)
    assert.deepEqual(mails(), [first])
    await flap(1)
    assert.deepEqual(mails(), [first, 'Alert: Open cases, 3'])
  })

  it('are counted by rule, also of one that is saved again', async () => {
    const { create, flap, mails, service, admin } = await flapping()
    const { alertRuleId } = await create(anyOpen)
    await create({ ...anyOpen, name: 'Another' })
    await flap(2)
    assert.deepEqual(mails().toSorted(), ['Alert: Another, 1', first])
    const changed = { ...anyOpen, threshold: 0.5 }
    unwrap(await service.alertRules.update(admin, { alertRuleId, ...changed }))
    await flap(2)
    assert.equal(mails().length, 2)
  })

  it('tell without data too', async () => {
    const { create, complete, judge, letters } = await judged()
    await create({
      ...anyOpen,
      ...{ name: 'Failing', metricName: 'sessions.failed_percent', windowSeconds: 60 },
    })
    for (const status of ['error', 'ok', 'ok', 'error'] as const) {
      await complete(1, { status })
      await judge()
    }
    await judge(hour)
    assert.equal(letters.length, 2)
  })

  it('are not counted without a mailer', async () => {
    const { create, flap, letters, rows } = await flapping(false)
    await create(anyOpen)
    await flap(2)
    assert.deepEqual(letters, [])
    assert.deepEqual(
      rows(alertRules).map(({ mailing }) => mailing),
      [unmailed],
    )
  })
})
