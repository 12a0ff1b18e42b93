import assert from 'node:assert/strict'
import { it } from 'node:test'
import { unwrap } from '@countersign/core'
import type { Page } from 'playwright-core'
import { describePortal, type PortalSuite } from './suite.ts'
import { until } from './until.ts'

const chosen = 'another long password'

/** The link of the latest mail to an address, once it was sent. */
const linkTo = ({ stage }: PortalSuite, email: string): Promise<string> =>
  until(`a link for ${email}`, async () => {
    const mail = stage.mails.findLast(({ to }) => to === email)
    return /https?:\S+/.exec(mail?.text ?? '')?.[0] ?? null
  })

async function logsIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
}

describePortal('links that mails bring', (suite) => {
  const { pageAs } = suite

  /** What a page may still have of a token: its address, its history and what it stores. */
  const traces = (page: Page) =>
    page.evaluate<string>(
      'JSON.stringify([location.href, history.state, { ...localStorage }, { ...sessionStorage }])',
    )

  it('let an invited member join, and are gone from the address at once', async () => {
    const { stage } = suite
    const email = 'invited@acme.example'
    unwrap(await stage.service.invitations.create(stage.admin, { email }))
    const link = await linkTo(suite, email)
    const page = await pageAs(null, { path: link })
    await page.getByRole('heading', { name: 'You are invited' }).waitFor()
    assert.ok(!(await traces(page)).includes(new URL(link).hash.slice(1)))
    await page.getByLabel('Your name').fill('Ivo Invited')
    await page.getByLabel('New password').fill('short')
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByText('Something that was entered is not right.').waitFor()
    assert.equal(await page.getByLabel('New password').getAttribute('aria-invalid'), 'true')
    assert.equal(await page.getByLabel('Your name').inputValue(), 'Ivo Invited')
    await page.getByLabel('New password').fill(chosen)
    await page.getByRole('button', { name: 'Join' }).click()
    await logsIn(page, email, chosen)
    await page.getByText('Ivo Invited', { exact: true }).waitFor()
  })

  it('of an invitation that was used before, or is cut short, say so', async () => {
    const { stage } = suite
    const email = 'late@acme.example'
    unwrap(await stage.service.invitations.create(stage.admin, { email }))
    const link = await linkTo(suite, email)
    await stage.advance(73 * 3_600_000)
    const page = await pageAs(null, { path: link })
    await page
      .getByText('The invitation was used or withdrawn, or its 72 hours are over.')
      .waitFor()
    await page.getByRole('heading', { name: 'This invitation is not valid' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Join' }).count(), 0)
    await page.goto('/invitation')
    await page.getByRole('heading', { name: 'This link is not complete' }).waitFor()
  })

  it('let a member who forgot the password choose another', async () => {
    const { email } = suite.stage.members.auditor
    const page = await pageAs(null, { path: '/login' })
    await page.getByRole('link', { name: 'Forgot the password?' }).click()
    // The page before has an address to enter, too.
    await page.getByRole('button', { name: 'Send a link' }).waitFor()
    await page.getByLabel('E-mail address').fill(email)
    await page.getByRole('button', { name: 'Send a link' }).click()
    await page.getByRole('status').getByText('a mail with a link is on its way').waitFor()
    const link = await linkTo(suite, email)
    await page.goto(link)
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
    assert.ok(!(await traces(page)).includes(new URL(link).hash.slice(1)))
    await page.getByLabel('New password').fill(chosen)
    await page.getByRole('button', { name: 'Save' }).click()
    await logsIn(page, email, chosen)
  })
})
