import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { describePortal } from './suite.ts'
import { until } from './until.ts'

describePortal('what tells of cases that wait', (suite) => {
  const { pageAs, newTab } = suite
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

  /** Lets a test hide a page, and keeps what it would have shown. */
  const hiding = `
    window.isHidden = false
    window.notices = []
    Object.defineProperty(document, 'hidden', { get: () => window.isHidden })
    window.hide = (isHidden) => {
      window.isHidden = isHidden
      document.dispatchEvent(new Event('visibilitychange'))
    }
    window.Notification = class {
      static permission = 'default'
      static async requestPermission() { return (Notification.permission = window.permits ? 'granted' : 'denied') }
      constructor(title, { body }) { window.notices.push(title + ': ' + body) }
      close() {}
    }`

  const locked = (page: Page, lock: string) =>
    until(`the lock ${lock}`, async () =>
      (await page.evaluate(
        `navigator.locks.query().then(({ held }) => held.some(({ name }) => name === '${lock}'))`,
      ))
        ? true
        : null,
    )

  it('tells a member who chose it, while no page can be seen, how many and until when', async () => {
    const page = await pageAs('secondReviewer', { path: '/me' })
    await page.clock.install()
    await page.addInitScript(hiding)
    await page.goto('/me')
    const notices = () => page.evaluate<readonly string[]>('window.notices')
    // By what is evaluated each time: the policy of the page lets no function of Playwright's wait there.
    const told = (count: number) =>
      until(`${count} notices`, async () => ((await notices()).length >= count ? true : null))
    const tick = page.getByLabel('Tell me of cases that wait')
    await tick.press(' ')
    await page.getByText('The browser does not permit it').waitFor()
    assert.equal(await tick.isChecked(), false)
    await page.evaluate('window.permits = true')
    await tick.press(' ')
    await locked(page, 'countersign seen')
    assert.equal(await tick.isChecked(), true)
    const waiting = await page.evaluate('window.notices.length')
    assert.equal(waiting, 0)
    await page.evaluate('hide(true)')
    await locked(page, 'countersign notices')
    await suite.stage.openCase({ action: 'pay', title: 'Not to be told' }, { reviewTier: 'urgent' })
    await page.clock.runFor(31_000)
    await told(1)
    assert.match(
      (await notices())[0] ?? '',
      /^Countersign: \d cases? waits?, the next is due in \d+ min\.$/,
    )
    await page.evaluate('hide(false)')
    await suite.stage.openCase({ action: 'pay', title: 'Seen' })
    await page.clock.runFor(31_000)
    assert.equal((await notices()).length, 1, 'nothing is told while a page can be seen')
  })

  it('tells once of what two answers say while it is asked whether a page is seen', async () => {
    const page = await pageAs('secondReviewer', { path: '/me' })
    await page.clock.install()
    await page.addInitScript(hiding)
    await page.addInitScript("Notification.permission = 'granted'; window.permits = true")
    await page.goto('/me')
    await page.getByLabel('Tell me of cases that wait').check()
    const notices = () => page.evaluate<readonly string[]>('window.notices')
    await locked(page, 'countersign seen')
    await page.evaluate('hide(true)')
    await locked(page, 'countersign notices')
    let answered = 0
    page.on('response', (response) => {
      if (response.url().endsWith('/v1/portal/summary')) answered++
    })
    await page.evaluate(`(() => {
      const { locks } = navigator
      const request = locks.request.bind(locks)
      window.held = []
      locks.request = async (name, options, act) => {
        if (options.ifAvailable) await new Promise((resolve) => held.push(resolve))
        return request(name, options, act)
      }
    })()`)
    await suite.stage.openCase({ action: 'pay' })
    for (const count of [1, 2]) {
      await page.clock.runFor(31_000)
      await until('an answer', async () => (answered >= count ? true : null))
    }
    await until('a question', async () => (await page.evaluate('held.length > 0')) || null)
    await page.evaluate('held.shift()()')
    await until('a notice', async () => ((await notices()).length > 0 ? true : null))
    await page.evaluate('held.shift()?.()')
    await page.evaluate(`navigator.locks.request('countersign seen', {}, () => {})`)
    assert.equal((await notices()).length, 1)
  })

  it('is read by one tab for all of a browser, and by another once that is closed', async () => {
    const first = await pageAs('reviewer', { path: '/queue' })
    await first.getByRole('link').first().waitFor()
    const second = await newTab(first.context())
    const asked = { first: 0, second: 0 }
    for (const [name, page] of [
      ['first', first],
      ['second', second],
    ] as const)
      page.on('request', (request) => {
        if (/portal\/(summary|review-queue)/.test(request.url())) asked[name]++
      })
    await second.goto('/queue')
    await second.getByRole('heading', { name: 'Queue' }).waitFor()
    await until('the first tab to read', async () => (asked.first >= 4 ? true : null))
    assert.ok(asked.second <= 2, `the second tab read ${asked.second} times`)
    await suite.stage.openCase({ action: 'pay', title: 'For both tabs' })
    for (const page of [first, second]) await page.getByText(/1 new/).waitFor()
    assert.ok(asked.second <= 2, `the second tab read ${asked.second} times`)
    await first.close()
    await suite.stage.openCase({ action: 'pay', title: 'After one was closed' })
    await second.getByText(/2 new/).waitFor()
  })

  it('mails a reviewer a link to a case that waits, until they turn it off', async () => {
    const { stage } = suite
    const { email } = stage.members.reviewer
    const own = () => stage.mails.filter(({ to, subject }) => to === email && /wait/.test(subject))
    const { length } = own()
    await stage.advance(16 * 60_000)
    const reviewCaseId = await stage.openCase({ action: 'pay Mrs. Miller' }, { reviewTier: 'high' })
    const mail = await until('a mail about the case', async () => own()[length] ?? null)
    assert.ok(!mail.text.includes('Miller'), mail.text)
    const link = new RegExp(`^${stage.origin}(/cases/${reviewCaseId})$`, 'm').exec(mail.text)?.[1]
    assert.ok(link, mail.text)
    const page = await pageAs('reviewer', { path: link })
    await page.getByText('pay Mrs. Miller').first().waitFor()
    await page.goto('/me')
    const tick = page.getByLabel('Mail me when a case waits')
    assert.equal(await tick.isChecked(), true)
    await tick.press(' ')
    await page.getByText('You are not told by mail.').waitFor()
    await page.reload()
    assert.equal(await tick.isChecked(), false)
    const auditor = await pageAs('auditor', { path: '/me' })
    await auditor.getByRole('heading', { name: 'Where you are logged in' }).waitFor()
    assert.equal(await auditor.getByLabel('Mail me when a case waits').count(), 0)
  })
})
