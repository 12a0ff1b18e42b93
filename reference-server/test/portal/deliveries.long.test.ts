import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { unwrap } from '@countersign/core'
import type { Page } from 'playwright-core'
import { assertLooks } from './every-look.ts'
import { openReceiver } from './receiver.ts'
import { assertGone } from './remains.ts'
import { describePortal } from './suite.ts'
import { until } from './until.ts'

const receiver = await openReceiver()
after(() => receiver.close())

/** Presses Tab until what has the focus is named so, as who has no pointer does. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let times = 0; times < 80; times++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate<string>(
      `(({ ariaLabel, labels, textContent } = document.activeElement ?? {}) =>
        ariaLabel ?? labels?.[0]?.textContent ?? textContent ?? '')()`,
    )
    if (name.test(focused)) return
  }
  assert.fail(`Tab leads to nothing that is named ${name}`)
}

describePortal(
  'the deliveries of a webhook',
  (suite) => {
    const { pageAs } = suite
    const create = async (path: string, eventTypes: readonly string[], secret?: string) =>
      unwrap(
        await suite.stage.service.webhooks.create(suite.stage.admin, {
          url: receiver.origin + path,
          eventTypes: eventTypes as ['*'],
          signing: { method: 'ed25519' },
          ...(secret !== undefined && { secret }),
        }),
      ).id
    const promote = async () => {
      const { service, admin } = suite.stage
      const { applicationId } = unwrap(await service.applications.create(admin, { name: 'Raised' }))
      unwrap(await service.applications.promote(admin, { applicationId, to: 'staging' }))
    }
    const deliveriesOf = async (webhookId: string) =>
      unwrap(
        await suite.stage.service.webhooks.listDeliveries(suite.stage.admin, {
          webhookId,
          limit: 20,
        }),
      ).rows
    /** Waits until all deliveries of a type to a webhook have a status, which takes time of the service; answers them. */
    const allOf = (webhookId: string, type: string, status: string) =>
      until(`${type} to be ${status}`, async () => {
        const found = (await deliveriesOf(webhookId)).filter((row) => row.eventType === type)
        if (found.length > 0 && found.every((row) => row.status === status)) return found
        const isWaiting = found.every((row) => ['retry_scheduled', status].includes(row.status))
        await suite.stage.advance(isWaiting ? 600_000 : 100)
        return null
      })
    /** The event of a webhook's only delivery of a type, once that has a status. */
    async function eventOf(webhookId: string, type: string, status: string): Promise<string> {
      return (await allOf(webhookId, type, status))[0]?.eventId ?? ''
    }

    it('are recovered by the keyboard alone: chosen, looked at, sent again and followed', async () => {
      receiver.status = 503
      const id = await create('/recovered', ['application.promoted'])
      await promote()
      await promote()
      await allOf(id, 'application.promoted', 'dead_lettered')
      receiver.status = 200
      const page = await pageAs('integrator', { path: `/webhooks/${id}`, bypassCSP: true })
      await page.getByRole('cell', { name: 'given up' }).first().waitFor()
      await tabTo(page, /^Recover what failed$/)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: '1. Which' }).waitFor()
      await tabTo(page, /^By$/)
      await page.keyboard.press('ArrowDown')
      await tabTo(page, /^Preview$/)
      await page.keyboard.press('Enter')
      await page.getByText('2 given up, to be sent again · 0 delivered · 0 under way').waitFor()
      await assertLooks(page, 'recover')
      assert.equal((await deliveriesOf(id)).filter(({ round }) => round > 1).length, 0)
      await tabTo(page, /^Send 2 again$/)
      await page.keyboard.press('Enter')
      await page.getByText('2 delivered · 0 waiting · 0 given up again').waitFor()
      const saved = page.waitForEvent('download')
      await tabTo(page, /^Save as CSV$/)
      await page.keyboard.press('Enter')
      assert.equal((await saved).suggestedFilename(), 'recovery.csv')
      await assertLooks(page, 'recovered')
    })

    it('that wait for another try are named where they fail, tried now, and counted before a turning off', async () => {
      receiver.status = 503
      const id = await create('/waiting', ['application.promoted'])
      await promote()
      await promote()
      assert.equal((await allOf(id, 'application.promoted', 'retry_scheduled')).length, 2)
      // The second try comes seconds after the first, and the third one minutes after that.
      await suite.stage.advance(10_000)
      await until('two tries of each', async () => {
        const found = await deliveriesOf(id)
        const isTried = found.every((row) => row.attempts === 2 && row.status === 'retry_scheduled')
        return isTried ? found : null
      })
      const page = await pageAs('admin', { path: '/webhooks', bypassCSP: true })
      const row = page.getByRole('row', { name: /\/waiting/ })
      await row.getByRole('link', { name: /^failing: \d+ to be tried again$/ }).click()
      await page.getByRole('button', { name: 'Turn off' }).click()
      await page.getByText('2 deliveries that wait to be sent or tried again are').waitFor()
      await assertLooks(page, 'turn-off')
      await page.keyboard.press('Escape')
      await page.getByText('It was never off').waitFor()
      receiver.status = 200
      await page.getByRole('link', { name: 'Recover what failed' }).click()
      await page.getByRole('button', { name: 'Try 2 now' }).click()
      await page.getByText('2 of 2 are tried now.').waitFor()
      await page.getByText('No delivery waits for another try.').waitFor()
      await page.getByRole('link', { name: 'The webhook' }).click()
      await page.getByRole('button', { name: 'Turn off' }).click()
      await page.getByText('Nothing waits to be sent now.').waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click()
      await page.getByRole('table', { name: 'Missed' }).getByText('it is still off').waitFor()
      assert.equal(await page.getByText('It was never off').count(), 0)
    })

    it('lead by the keyboard alone from what was given up to its delivery', async () => {
      receiver.status = 503
      receiver.body = 'closed for \u202edeliveries'
      const id = await create('/closed', ['application.promoted'])
      await promote()
      await eventOf(id, 'application.promoted', 'dead_lettered')
      const page = await pageAs('integrator', { path: `/webhooks/${id}`, bypassCSP: true })
      await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
      await page.getByText(/failed \(hollow\): [1-9]\d*$/).waitFor()
      await tabTo(page, /^The same as a table$/)
      await page.keyboard.press('Enter')
      await page.getByRole('table', { name: 'Tries of 24 hours' }).waitFor()
      await tabTo(page, /^Status$/)
      await page.keyboard.press('g')
      await page.getByText('1 in all').waitFor()
      assert.match(page.url(), /status=dead_lettered/)
      await assertLooks(page, 'deliveries')
      await tabTo(page, /^An application reached another stage$/)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Response' }).waitFor()
      await page.getByText('⟦U+202E⟧').waitFor()
      await assertLooks(page, 'delivery-given-up')
      receiver.status = 200
      await page.keyboard.press('y')
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Response')
      await page.keyboard.press('j')
      await page.waitForURL(/attempt=att_/)
      await page.keyboard.press('p')
      await page.getByRole('dialog').waitFor()
      await tabTo(page, /^Send again$/)
      await page.keyboard.press('Enter')
      await page.getByText('It is sent again.').waitFor()
      await page.getByText('delivered', { exact: true }).waitFor()
      await page.getByText('sent again by a person').first().waitFor()
    })

    it('are shown over all webhooks of an event, and beside them what a webhook missed', async () => {
      receiver.status = 200
      const [one, other] = [
        await create('/one', ['application.promoted']),
        await create('/other', ['*']),
      ]
      const { service, admin } = suite.stage
      unwrap(await service.webhooks.turnOff(admin, { webhookId: other }))
      await suite.stage.advance(60_000)
      unwrap(await service.webhooks.turnOn(admin, { webhookId: other }))
      await suite.stage.advance(60_000)
      await promote()
      const eventId = await eventOf(one, 'application.promoted', 'delivered')
      const page = await pageAs('integrator', {
        path: `/webhooks/${one}/${eventId}`,
        bypassCSP: true,
      })
      await page.getByRole('link', { name: 'This event at all webhooks' }).click()
      await page.getByRole('heading', { level: 1, name: 'Event' }).waitFor()
      await page.getByText('"fromStage": "development"').waitFor()
      await assertLooks(page, 'event')
      await page.getByRole('link', { name: other }).click()
      await page.getByRole('heading', { level: 1, name: 'Delivery' }).waitFor()
      await page.getByRole('link', { name: 'The webhook' }).click()
      await page
        .getByRole('table', { name: 'Missed' })
        .getByText('A member turned it off.')
        .waitFor()
      await assertLooks(page, 'webhook-missed')
    })

    it('verify a try by the public key, and by a secret that stays in the browser', async () => {
      receiver.status = 200
      const secret = 'a secret of the integrator'
      const id = await create('/verified', ['application.promoted', 'review.case.created'], secret)
      await promote()
      await suite.stage.openCase({ action: 'pay' }, { checkpointId: 'verified' })
      const signed = await eventOf(id, 'review.case.created', 'delivered')
      const page = await pageAs('integrator', {
        path: `/webhooks/${id}/${signed}`,
        bypassCSP: true,
      })
      const sent: string[] = []
      page.on('request', (request) => sent.push(request.url() + (request.postData() ?? '')))
      await page.getByRole('button', { name: 'Verify' }).click()
      await page.getByText('The signature holds.').waitFor()
      await page.getByLabel('The secret').fill('whsec_bm8gc2VjcmV0IG9mIHRoaXMgd2ViaG9vaw==')
      await page.keyboard.press('Enter')
      await page.getByText('The signature does not hold').waitFor()
      await assertLooks(page, 'delivery-verified')

      await page.goto(`/webhooks/${id}/${await eventOf(id, 'application.promoted', 'delivered')}`)
      await page.getByLabel('The secret').fill(secret)
      await page.keyboard.press('Enter')
      await page.getByText('The signature holds.').waitFor()
      await assertGone(page, secret)
      assert.ok(!sent.some((request) => request.includes(secret)), 'the secret left the browser')
    })
  },
  receiver.settings,
)
