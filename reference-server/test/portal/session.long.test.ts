import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { beReady, casesOf, choose, openOnClock, settle, stopClock } from './case-steps.ts'
import { describePortal } from './suite.ts'
import { until } from './until.ts'

describePortal('a session that ends, and a network that is gone', (suite) => {
  const { pageAs, newTab, tolerate } = suite
  const path = '/applications/new'
  const cases = casesOf(suite)
  const again = (page: Page) => page.getByRole('dialog', { name: 'Log in again' })

  async function enter(page: Page, email: string): Promise<void> {
    await again(page).getByLabel('E-mail address').fill(email)
    await again(page).getByLabel('Password').fill('correct horse battery')
    await page.keyboard.press('Enter')
  }

  /** A page with a form that is filled in, whose session another device ended. */
  async function lapsed(): Promise<Page> {
    const page = await pageAs('admin', { path })
    await page.getByLabel('Name').fill('Travel desk')
    await page.getByLabel('What it does').fill('Books flights.')
    // Not before: what the page reads by itself would tell it, and the dialog come ahead of the click.
    await page.route(
      '**/v1/applications',
      async (route) => {
        await page.context().request.post('/v1/auth/logout', { data: {} })
        await route.continue()
      },
      { times: 1 },
    )
    await page.getByRole('button', { name: 'Create' }).click()
    await again(page).waitFor()
    return page
  }

  it('keep what was typed until the same member is back', async () => {
    const page = await lapsed()
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Log in again')
    await page.keyboard.press('Escape')
    await enter(page, 'admin@acme.example')
    await again(page).waitFor({ state: 'detached' })
    assert.equal(await page.getByLabel('What it does').inputValue(), 'Books flights.')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { level: 1, name: 'Travel desk' }).waitFor()
  })

  it('say of a case that the session ended, and let it be decided once there is one again', async () => {
    const reviewCaseId = await cases.claimed()
    const page = await pageAs('reviewer', { path: '/me' })
    await openOnClock(page, cases.pathOf(reviewCaseId).path)
    await beReady(page)
    await choose(page, /Reject/)
    await page.getByLabel('Comment').fill('Nothing fits.')
    await page.context().request.post('/v1/auth/logout', { data: {} })
    await again(page).waitFor()
    await page.getByText('Your session ended: log in again.').waitFor()
    assert.equal(await page.getByText('There is no connection').count(), 0)
    // At once, and not with the next reading, which its failures put off by seconds.
    await stopClock(page)
    await enter(page, 'reviewer@acme.example')
    await again(page).waitFor({ state: 'detached' })
    const send = page.getByRole('button', { name: 'Send the rejection', disabled: false })
    await until('the case to be read', async () => {
      await page.clock.runFor(10)
      return (await send.isVisible()) ? true : null
    })
    await page.clock.resume()
    await settle(page)
    await send.click()
    await page.getByRole('heading', { name: 'Rejected' }).waitFor()
    assert.equal((await cases.read(reviewCaseId)).reviewerComment, 'Nothing fits.')
  })

  it('show another member nothing of it', async () => {
    const page = await lapsed()
    await enter(page, 'integrator@acme.example')
    await page.waitForURL('/', { waitUntil: 'commit' })
    await page.getByRole('link', { name: 'Ines Integrator' }).waitFor()
    assert.equal(await page.getByText('Travel desk').count(), 0)
  })

  it('are told to other tabs, of which none goes on under another name', async () => {
    const first = await pageAs('admin', { path })
    await first.getByLabel('Name').fill('Travel desk')
    const second = await newTab(first.context())
    await second.goto('/me')
    await second.getByRole('button', { name: 'Log out', exact: true }).click()
    await again(first).waitFor()
    await second.getByRole('heading', { name: 'Log in' }).waitFor()
    await second.getByLabel('E-mail address').fill('integrator@acme.example')
    await second.getByLabel('Password').fill('correct horse battery')
    await second.keyboard.press('Enter')
    await first.getByRole('link', { name: 'Ines Integrator' }).waitFor()
    assert.equal(await first.getByText('Ada Admin').count(), 0)
  })

  it('send nothing without a network, and say so', async () => {
    const page = await pageAs('admin', { path })
    await page.getByLabel('Name').fill('Night desk')
    tolerate(/ERR_INTERNET_DISCONNECTED/)
    const written: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET') written.push(request.url())
    })
    await page.context().setOffline(true)
    await page.getByText('There is no connection: what you see may be old').waitFor()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('There is no connection: nothing was sent.').waitFor()
    assert.deepEqual(written, [])
    await page.context().setOffline(false)
    await page
      .getByText('There is no connection: what you see may be old')
      .waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { level: 1, name: 'Night desk' }).waitFor()
  })
})
