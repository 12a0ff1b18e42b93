import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { settle } from './case-steps.ts'
import { noChromium, openChromium } from './chromium.ts'
import { keepScreenshot } from './screenshots.ts'
import type { Visitor } from './stage.ts'
import { describePortal } from './suite.ts'
import { unreadable } from './text-places.ts'
import { fillWorld, type PortalWorld } from './world.ts'

describePortal('text of twice the usual size', (suite) => {
  let world: PortalWorld
  let large: Browser | undefined
  before(async () => {
    if (noChromium) return
    large = await openChromium(['--blink-settings=defaultFontSize=32,defaultFixedFontSize=26'])
    world = await fillWorld(suite.stage)
  })
  after(async () => {
    await large?.close()
    await world?.close()
  })

  /** A page in the browser whose text is large, with the session of a member. */
  async function pageAs(visitor: Visitor, path: string): Promise<Page> {
    const usual = await suite.pageAs(visitor)
    const context = await large?.newContext({ baseURL: suite.stage.origin })
    assert.ok(context)
    await context.addCookies(await usual.context().cookies())
    const page = await suite.newTab(context)
    await page.goto(path)
    await page.locator('h1').waitFor()
    await page.waitForLoadState('networkidle')
    await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
    const size = await page.evaluate('getComputedStyle(document.documentElement).fontSize')
    assert.equal(size, '32px')
    return page
  }

  async function assertReadable(page: Page, name: string): Promise<void> {
    for (const width of [768, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await keepScreenshot(page, `large-${name}-${width}`)
      const spills = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      assert.ok(spills <= 0, `${name} at ${width} px is ${spills} px wider than the window`)
      assert.deepEqual(await unreadable(page), [], `${name} at ${width} px`)
    }
  }

  it('can be read on the pages of a reviewer, with the form of a decision open', async () => {
    await assertReadable(await pageAs('reviewer', '/queue'), 'queue')
    const page = await pageAs('reviewer', `/cases/${world.cases.mine}`)
    await page.getByText('matches the case').waitFor()
    await assertReadable(page, 'case')
    await settle(page)
    await page.getByRole('radio', { name: /Reject/ }).click()
    await page.getByLabel('Comment').waitFor()
    await assertReadable(page, 'case-form')
  })

  it('can be read on the pages of webhooks, and the overview', async () => {
    await assertReadable(await pageAs('admin', '/'), 'overview')
    await assertReadable(await pageAs('admin', '/webhooks'), 'webhooks')
    await assertReadable(await pageAs('admin', `/webhooks/${world.ids.webhookId}`), 'webhook')
    await assertReadable(await pageAs('admin', '/webhooks/new'), 'webhook-new')
  })

  it('has a header that can be read on the narrowest screen, with its menu open', async () => {
    const pages = {
      usual: await suite.pageAs('admin', { path: '/me' }),
      large: await pageAs('admin', '/me'),
    }
    for (const [name, page] of Object.entries(pages)) {
      await page.setViewportSize({ width: 320, height: 900 })
      await page.getByRole('navigation').getByText('Organization', { exact: true }).click()
      await page.getByRole('navigation').getByRole('link', { name: 'Audit log' }).waitFor()
      await keepScreenshot(page, `${name}-header-320`, false)
      const beyond = await page.evaluate<readonly string[]>(`[
        ...document.querySelectorAll('header a, header button, header summary'),
      ].filter((each) => {
        const { left, right, width } = each.getBoundingClientRect()
        return each.checkVisibility() && width > 0 && (left < 0 || right > innerWidth)
      }).map((each) => each.textContent.trim())`)
      assert.deepEqual(beyond, [], `${name} text`)
      const unread = await unreadable(page)
      const texts = await page.getByRole('banner').innerText()
      assert.deepEqual(
        unread.filter((line) => line.split(/[:/] /).some((part) => texts.includes(part.trim()))),
        [],
        `${name} text`,
      )
    }
  })
})
