import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { describePortal } from './suite.ts'

async function enter(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
}

async function logIn(page: Page, email: string, password: string): Promise<void> {
  await enter(page, email, password)
  await page.getByRole('button', { name: 'Log in' }).click()
}

describePortal('the login', (suite) => {
  const { pageAs, tolerate } = suite

  it('names a wrong password, leads to that, and keeps what was typed', async () => {
    const page = await pageAs(null, { path: '/login' })
    await logIn(page, 'reviewer@acme.example', 'wrong')
    const failure = page.locator('[role=alert]:focus')
    await failure.getByText('The e-mail address and the password don’t fit.').waitFor()
    assert.equal(await page.getByLabel('E-mail address').inputValue(), 'reviewer@acme.example')
  })

  it('says how long to wait after too many failures', async () => {
    const page = await pageAs(null, { path: '/login' })
    const { email } = suite.stage.members.secondReviewer
    await enter(page, email, 'wrong')
    for (let failures = 0; failures < 8; failures++) {
      await suite.stage.advance(60_000)
      await suite.stage.service.auth.login({ email, password: 'wrong', address: '203.0.113.9' })
    }
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('There were too many failed attempts.').waitFor()
    await page.getByText(/^Try again in \d+ s\.$/).waitFor()
    await suite.stage.advance(3_600_000)
  })

  it('is kept by the browser alone: no script, storage or answer has the session', async () => {
    const page = await pageAs(null, { path: '/login' })
    const answered = page.waitForResponse('**/v1/auth/login')
    await logIn(page, 'reviewer@acme.example', 'correct horse battery')
    await answered
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const [cookie] = await page.context().cookies()
    assert.equal(cookie?.httpOnly, true)
    const held = await page.evaluate(
      'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, history.state])',
    )
    assert.ok(!String(held).includes(String(cookie?.value)), 'the session is held by the page')
  })

  it('tells that the service can not be reached, and goes on once it can', async () => {
    const page = await pageAs('reviewer')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    tolerate(/ERR_CONNECTION|status of 503/)
    await page.route('**/v1/**', (route) =>
      route.fulfill({
        status: 503,
        headers: { 'retry-after': '30', 'content-type': 'application/problem+json' },
        body: JSON.stringify({ type: 'urn:countersign:error:unavailable', errors: [] }),
      }),
    )
    await page.reload()
    await page.getByText('The service can not store anything just now.').waitFor()
    await page.getByText(/^Try again in \d+ s\.$/).waitFor()
    await page.unroute('**/v1/**')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  it('holds when the server is started again', async () => {
    const page = await pageAs('reviewer')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    tolerate(/ERR_CONNECTION|ERR_EMPTY_RESPONSE|status of 503/)
    await suite.stage.restart()
    await page.reload()
    await page.getByText('Ruth Reviewer', { exact: true }).waitFor()
  })
})
