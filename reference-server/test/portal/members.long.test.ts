import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertLooks } from './every-look.ts'
import { describePortal } from './suite.ts'
import { until } from './until.ts'

describePortal('members', (suite) => {
  const { pageAs } = suite

  /** The link of the last mail to an address. */
  const linkTo = (email: string) => {
    const mails = suite.stage.mails.filter(({ to }) => to === email)
    return /\S+\/invitation#\S+/.exec(mails.at(-1)?.text ?? '')?.[0] ?? ''
  }
  const sent = (email: string, before = '') =>
    until(`another link for ${email}`, async () => {
      const link = linkTo(email)
      if (link !== before) return link
      await suite.stage.advance(1_000)
      return null
    })
  const invite = async (page: Page, email: string) => {
    await page.getByRole('button', { name: 'Invite a member' }).click()
    await page.getByLabel('E-mail address').fill(email)
  }

  it('invites somebody, who joins by the link of the mail, with the permissions chosen', async () => {
    const email = 'nora@acme.example'
    const page = await pageAs('admin', { path: '/members' })
    await invite(page, email)
    await page.getByText('They can look, and decide no case').waitFor()
    await page.getByLabel('Reads review cases and decides them').check()
    await page.getByText('They can decide cases.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
    await page.getByText(`${email} is invited`).waitFor()
    const guest = await pageAs(null, { path: await sent(email) })
    await guest.getByText('Ada Admin invites you to join Acme on Countersign').waitFor()
    await guest.getByText(email).waitFor()
    await guest.getByText('Reads review cases and decides them').waitFor()
    await guest.getByLabel('Your name').fill('Nora New')
    await guest.getByLabel('New password').fill('four words in row')
    await guest.keyboard.press('Enter')
    await guest.getByRole('heading', { name: 'Log in' }).waitFor()
    assert.ok(!guest.url().includes('#'))
    await page.reload()
    const row = page.getByRole('table', { name: 'Members' }).getByRole('row', { name: /Nora New/ })
    assert.match(await row.innerText(), /Auditor\s+Reads review cases and decides them\s+Active/)
  })

  it('tells that an address is taken, and keeps what was entered', async () => {
    const email = 'reviewer@acme.example'
    const page = await pageAs('admin', { path: '/members' })
    await invite(page, email)
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
    await page.getByText('Somebody with this address is a member already.').waitFor()
    assert.equal(await page.getByLabel('E-mail address').inputValue(), email)
  })

  it('sends an invitation again, which ends the link of before, and withdraws it', async () => {
    const email = 'walt@acme.example'
    const page = await pageAs('admin', { path: '/members' })
    await invite(page, email)
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
    await page.getByText(`${email} is invited`).waitFor()
    const first = await sent(email)
    await page.getByRole('button', { name: `Send again to ${email}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click()
    const second = await sent(email, first)
    await page.getByRole('button', { name: `Withdraw the invitation of ${email}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
    await page.getByText(`The invitation of ${email} is withdrawn.`).waitFor()
    for (const link of [first, second]) {
      const guest = await pageAs(null, { path: link })
      await guest.getByRole('heading', { name: 'This invitation is not valid' }).waitFor()
      assert.equal(await guest.getByLabel('New password').count(), 0)
    }
  })

  it('hands the open cases of a member who was deactivated over, and shows the way back', async () => {
    const { stage } = suite
    const { memberId } = stage.members.reviewer
    const reviewCaseId = await stage.openCase({ action: 'pay' })
    const { role, permissions } = stage.admin
    const reviewer = { ...stage.admin, memberId, role, permissions }
    const claimed = await stage.service.reviewCases.claim(reviewer, { reviewCaseId })
    assert.ok(claimed.ok)
    const reviewing = await pageAs('reviewer', { path: '/me' })
    const page = await pageAs('admin', { path: '/members' })
    await page.getByRole('button', { name: 'Deactivate Ruth Reviewer' }).click()
    await page.getByRole('link', { name: 'pay', exact: true }).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
    await page.getByText('Ruth Reviewer can not log in any more.').waitFor()
    await reviewing.reload()
    await reviewing.getByRole('heading', { name: 'Log in' }).waitFor()
    const queue = await pageAs('secondReviewer', { path: '/queue' })
    await queue.getByText('deactivated: an admin can hand it over').waitFor()
    await page.getByRole('button', { name: 'Open cases of Ruth Reviewer' }).click()
    await page.getByLabel('Hand over to').selectOption({ label: 'Sam Second' })
    await page.getByRole('button', { name: 'Hand the case over' }).click()
    await page.getByText('1 case is with Sam Second now.').waitFor()
    await page.getByText('They have no open case.').waitFor()
    await page.keyboard.press('Escape')
    const read = await stage.service.reviewCases.read(stage.admin, { reviewCaseId })
    assert.ok(read.ok)
    assert.equal(read.value.assignment?.reviewerId, stage.members.secondReviewer.memberId)
    await page.getByRole('button', { name: 'Reactivate Ruth Reviewer' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reactivate' }).click()
    await page.getByText('Ruth Reviewer can log in again.').waitFor()
  })

  it('changes a role; the last admin stays one', async () => {
    const page = await pageAs('admin', { path: '/members' })
    await page.getByRole('button', { name: 'Role of Sam Second' }).click()
    await page.getByLabel('Looks into deliveries and sends them again').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Sam Second may do something else now.').waitFor()
    const row = page.getByRole('row', { name: /Sam Second/ })
    await row.getByText('Looks into deliveries and sends them again').waitFor()
    await page.getByRole('button', { name: 'Role of Ada Admin' }).click()
    await page.getByLabel('Role', { exact: true }).selectOption('CustomerAuditor')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The organization would be left without an active admin.').waitFor()
  })

  it('offers no change to who may change nothing', async () => {
    const page = await pageAs('auditor', { path: '/members' })
    await page.getByRole('row', { name: /Ada Admin/ }).waitFor()
    assert.equal(await page.locator('main').getByRole('button').count(), 0)
  })

  it('satisfies axe in its looks, its dialogs too', async () => {
    const page = await pageAs('admin', { path: '/members', bypassCSP: true })
    await page
      .getByRole('row', { name: /Ada Admin/ })
      .first()
      .waitFor()
    await assertLooks(page, 'members')
    await page.getByRole('button', { name: 'Invite a member' }).click()
    await assertLooks(page, 'member-invited')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Deactivate Sam Second' }).click()
    // The case that was handed over is theirs now.
    await page.getByText('They have an open case.').waitFor()
    await assertLooks(page, 'member-deactivated')
  })
})
