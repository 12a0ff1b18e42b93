import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { unwrap } from '@countersign/core'
import { assertLooks } from './every-look.ts'
import { describePortal } from './suite.ts'
import { until } from './until.ts'
import { openReceiver, type Receiver } from './world-receiver.ts'

describePortal('the pages of alert rules and chat channels', (suite) => {
  const { pageAs } = suite
  let receiver: Receiver
  before(async () => {
    receiver = await openReceiver(suite.stage)
  })
  after(() => receiver.close())

  it('say what a list without rows is for, and who can begin it', async () => {
    for (const [path, first] of [
      ['/channels', 'Add the first channel'],
      ['/alerts', 'Add the first rule'],
    ] as const) {
      const admin = await pageAs('admin', { path, bypassCSP: true })
      await admin.getByRole('link', { name: first }).waitFor()
      await assertLooks(admin, `empty-${path.slice(1)}`)
      const auditor = await pageAs('auditor', { path })
      await auditor.getByText('An admin can add one.').waitFor()
      assert.equal(await auditor.getByRole('link', { name: /New/ }).count(), 0)
    }
  })

  it('lead by the keyboard from a new channel to its test, and never show its address again', async () => {
    const page = await pageAs('admin', { path: '/channels/new', bypassCSP: true })
    const url = `${receiver.origin}/services/T0001/B0001/of-a-channel`
    await page.getByLabel('Address').fill('http://chat.example/')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Address').fill(url)
    await page.getByLabel('These alone').check()
    await page.getByRole('button', { name: 'Create' }).click()
    await page
      .getByText(/expected at least 1/)
      .first()
      .waitFor()
    assert.equal(await page.getByLabel('Address').inputValue(), url)
    await page.getByLabel(/A case was opened/).check()
    await page.getByLabel('Address').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: /^Slack at localhost/ }).waitFor()
    await page.getByText('1 type of event').waitFor()
    assert.ok(!(await page.content()).includes('T0001'))
    await page.getByRole('button', { name: 'Send a test' }).press('Enter')
    await page.getByText('The test message arrived: status 200.').waitFor()
    assert.ok(receiver.calls.some((path) => path.startsWith('/services/T0001')))
  })

  it('tell that a chat is gone, and turn it on again with another address', async () => {
    const { service, admin } = suite.stage
    const { channelId } = unwrap(
      await service.notificationChannels.create(admin, {
        kind: 'teams',
        webhookUrl: `${receiver.origin}/gone/of-a-team-that-left`,
        eventTypes: ['*'],
      }),
    )
    receiver.answer('/gone/of-a-team-that-left', 410)
    const page = await pageAs('admin', { path: `/channels/${channelId}`, bypassCSP: true })
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText(/The test message failed: status 410/).waitFor()
    await page.getByText(/answered 410 Gone/).waitFor()
    await assertLooks(page, 'channel-gone')
    await page.getByRole('link', { name: 'Change' }).click()
    await page.getByLabel('New address').fill(`${receiver.origin}/teams/of-another-team`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('no failure').waitFor()
    await page.getByRole('link', { name: 'Change' }).click()
    await page.getByLabel('These alone').check()
    await page.getByLabel(/An alert went off/).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('1 type of event').waitFor()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('The test message arrived').waitFor()
    assert.ok(receiver.calls.includes('/teams/of-another-team'), 'an empty field keeps the address')
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByText('It is off.').waitFor()
    // Once the channel is read again.
    await page.getByRole('button', { name: 'Send a test' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('heading', { level: 1, name: 'Chat channels' }).waitFor()
    assert.equal(await page.getByRole('link', { name: /Teams/ }).count(), 0)
  })

  it('lead from a new rule to its alert, first in the list', async () => {
    const { service, admin, openCase } = suite.stage
    unwrap(
      await service.alertRules.create(admin, {
        name: 'Many sessions',
        metricName: 'sessions.count',
        comparator: 'gt',
        threshold: 1_000,
        severity: 'info',
      }),
    )
    await openCase({ action: 'pay' })
    const page = await pageAs('admin', { path: '/alerts/new', bypassCSP: true })
    await page.getByLabel('Name').fill('Cases <b>wait</b>')
    await page.getByLabel('What it watches').selectOption('Open cases')
    assert.equal(await page.getByLabel('Measured over').count(), 0)
    await page.getByLabel('Application').selectOption('Payment assistant')
    await page.getByLabel('Threshold').fill('0')
    await page.getByLabel('Over again at').fill('5')
    await page.keyboard.press('Enter')
    await page
      .getByText(/good side/)
      .last()
      .waitFor()
    await assertLooks(page, 'alert-new')
    await page.getByLabel('Over again at').fill('')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { level: 1, name: 'Cases <b>wait</b>' }).waitFor()
    await page.getByText('Open cases above 0').waitFor()
    await page.getByText('gone off').waitFor()
    await page.getByRole('link', { name: 'All rules' }).click()
    await page.getByText('1 rule has gone off.').waitFor()
    const rows = page.getByRole('table', { name: 'Alert rules' }).getByRole('row')
    assert.match(await rows.nth(1).innerText(), /Cases <b>wait<\/b>\s+gone off/)
    await assertLooks(page, 'alerts')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Cases <b>wait</b>' }).waitFor()
  })

  it('lead to what was told of earlier changes, at the webhooks that heard of it', async () => {
    const { service, admin } = suite.stage
    const client = await suite.stage.clientOf('admin')
    const rule = {
      name: 'Open cases',
      metricName: 'reviews.open',
      comparator: 'gte',
      threshold: 0,
      severity: 'info',
    } as const
    const { alertRuleId } = unwrap(await service.alertRules.create(admin, rule))
    const page = await pageAs('auditor', { path: `/alerts/${alertRuleId}`, bypassCSP: true })
    await page.getByText('No webhook gets these events').waitFor()
    await client.webhooks.create({
      url: `${receiver.origin}/cases`,
      eventTypes: ['session.completed'],
    })
    await client.webhooks.create({
      url: `${receiver.origin}/alerts`,
      eventTypes: ['alert.triggered'],
    })
    await until('the webhook to be verified', async () =>
      receiver.calls.includes('/alerts') ? true : null,
    )
    unwrap(await service.alertRules.create(admin, { ...rule, name: 'Open cases, too' }))
    await page.reload()
    await page.getByText(`${receiver.origin}/alerts`).waitFor()
    assert.equal(await page.getByText(`${receiver.origin}/cases`).count(), 0)
    await assertLooks(page, 'alert')
    await page.getByRole('link', { name: 'what went off' }).click()
    await page
      .getByRole('table', { name: 'Deliveries' })
      .getByRole('link', { name: /An alert went off/ })
      .waitFor()
  })

  it('turn a rule off with all else kept, change it, and remove it', async () => {
    const { service, admin, applicationId } = suite.stage
    const definition = {
      name: 'Slow sessions',
      applicationId,
      metricName: 'sessions.duration_p95_ms',
      comparator: 'gte',
      threshold: 2_500.5,
      recoveryThreshold: 2_000,
      severity: 'critical',
      windowSeconds: 420,
    } as const
    const { alertRuleId } = unwrap(await service.alertRules.create(admin, definition))
    const read = async () => unwrap(await service.alertRules.read(admin, { alertRuleId }))
    const page = await pageAs('admin', { path: `/alerts/${alertRuleId}` })
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByText('It is off.').waitFor()
    const off = await read()
    assert.deepEqual(off, { ...off, ...definition, enabled: false })
    await page.getByRole('link', { name: 'Change' }).click()
    await page.getByLabel('Name').fill('Slower sessions')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Slower sessions' }).waitFor()
    const changed = await read()
    assert.deepEqual(changed, {
      ...changed,
      ...definition,
      name: 'Slower sessions',
      enabled: false,
    })
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('heading', { level: 1, name: 'Alert rules' }).waitFor()
    assert.equal((await service.alertRules.read(admin, { alertRuleId })).ok, false)
  })

  it('let others read, and keep what was typed when it is refused', async () => {
    const { service, admin } = suite.stage
    const { alertRuleId } = unwrap(
      await service.alertRules.create(admin, {
        name: 'Read by others',
        metricName: 'quota.used_percent',
        comparator: 'gt',
        threshold: 90,
        severity: 'warning',
      }),
    )
    const page = await pageAs('auditor', { path: `/alerts/${alertRuleId}` })
    await page.getByText('Share of the plan’s sessions that is used above 90 %').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Remove' }).count(), 0)
    await page.goto('/alerts/new')
    await page.getByLabel('Name').fill('Not mine')
    await page.getByLabel('Threshold').fill('3')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('You are not permitted to do this.').waitFor()
    assert.equal(await page.getByLabel('Name').inputValue(), 'Not mine')
    await page.goto('/channels/ch_nowhere')
    await page.getByText('This is not here, or not yours to see.').waitFor()
  })
})
