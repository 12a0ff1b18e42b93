import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describePortal } from './suite.ts'
import { until } from './until.ts'

describePortal('what tells of cases that wait', (suite) => {
  const { pageAs } = suite
  const badges = `Object.assign(navigator, {
    setAppBadge: async (count) => { window.badge = count },
    clearAppBadge: async () => { window.badge = 0 },
  })`

  it('has the number on the icon of the app, on every page, and none after the logout', async () => {
    await suite.stage.openCase({ action: 'pay' })
    const page = await pageAs('reviewer', { path: '/me' })
    await page.addInitScript(badges)
    const badgeIs = (count: number) =>
      until(`the badge to be ${count}`, async () =>
        (await page.evaluate('window.badge')) === count ? true : null,
      )
    await page.goto('/me')
    await badgeIs(1)
    await suite.stage.openCase({ action: 'pay again' })
    await badgeIs(2)
    await page.getByRole('banner').getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    await badgeIs(0)
    const auditor = await pageAs('auditor', { path: '/me' })
    await auditor.addInitScript(badges)
    await auditor.goto('/')
    await auditor.getByRole('heading', { name: 'Webhooks' }).waitFor()
    assert.notEqual(await auditor.evaluate('window.badge'), 2)
  })
})
