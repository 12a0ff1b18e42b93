import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { beReady, casesOf, choose, refund, settle } from './case-steps.ts'
import { describePortal } from './suite.ts'

const source = readFileSync(
  new URL('../../../../adapters/portal/app/errors.ts', import.meta.url),
  'utf8',
)
/** Codes of refusals, and what pages say of them. Another code is a session that ended. */
const sentences = [...source.matchAll(/^ {2}(\w+):\s+'(.+)',$/gm)].flatMap(([, code, sentence]) =>
  code && sentence && code !== 'authentication_required' ? [[code, sentence] as const] : [],
)

const comment = 'The account is not theirs.'

describePortal('what the service can not take, or not at once', (suite) => {
  const { pageAs, newTab, tolerate } = suite
  const { read, claimed, pathOf } = casesOf(suite)

  const sendButton = (page: Page) => page.getByRole('button', { name: 'Send the rejection' })
  const commentOf = (page: Page) => page.getByLabel('Comment').inputValue()

  /** The page of a case whose rejection is chosen and explained, and has only to be sent. */
  async function ready(): Promise<{ readonly page: Page; readonly reviewCaseId: string }> {
    const reviewCaseId = await claimed()
    const page = await pageAs('reviewer', pathOf(reviewCaseId))
    tolerate(/Failed to load resource|ERR_/)
    await beReady(page)
    await choose(page, /Reject/)
    await page.getByLabel('Comment').fill(comment)
    return { page, reviewCaseId }
  }

  /** Sends what is ready, and sees that it was decided once. */
  async function sendOnce(page: Page, reviewCaseId: string): Promise<void> {
    await settle(page)
    await sendButton(page).click()
    await page.getByRole('heading', { name: 'Rejected' }).waitFor()
    await assertRejectedOnce(reviewCaseId)
  }

  async function assertRejectedOnce(reviewCaseId: string): Promise<void> {
    const { decision, reviewerComment, history } = await read(reviewCaseId)
    assert.deepEqual([decision, reviewerComment], ['rejected', comment])
    assert.equal(history.filter(({ step }) => step === 'decided').length, 1)
  }

  it('is a decision that was taken by a server that ended before its answer, and is not sent again', async () => {
    const { page, reviewCaseId } = await ready()
    let sent = 0
    await page.route('**/decide', async (route) => {
      sent++
      await route.fetch()
      await suite.stage.stop()
      await route.abort('connectionreset')
    })
    await sendButton(page).click()
    await page.getByText('It is being looked up whether the last try arrived.').first().waitFor()
    assert.equal(await commentOf(page), comment)
    await suite.stage.start()
    await page.getByRole('heading', { name: 'Rejected' }).waitFor()
    assert.equal(sent, 1)
    await assertRejectedOnce(reviewCaseId)
  })

  it('is a decision that met no server, and is sent once there is one, with what was typed', async () => {
    const { page, reviewCaseId } = await ready()
    await page.route('**/authenticators', async (route) => {
      await suite.stage.stop()
      await route.abort('connectionrefused')
    })
    await sendButton(page).click()
    await page.getByText(/nothing was sent. What you typed is still here/).waitFor()
    await page.unroute('**/authenticators')
    await suite.stage.start()
    assert.equal((await read(reviewCaseId)).state, 'open')
    assert.equal(await commentOf(page), comment)
    await sendOnce(page, reviewCaseId)
  })

  for (const [status, code] of [
    [429, 'rate_limited'],
    [503, 'busy'],
  ] as const)
    it(`is a decision, refused with ${status} for some seconds, which are counted down`, async () => {
      const { page, reviewCaseId } = await ready()
      let sent = 0
      await page.route('**/decide', async (route) => {
        if (sent++ > 0) return route.continue()
        return route.fulfill({
          status,
          headers: { 'retry-after': '8', 'content-type': 'application/json; charset=utf-8' },
          body: JSON.stringify({ type: `urn:countersign:error:${code}`, code, errors: [] }),
        })
      })
      await sendButton(page).click()
      await page.getByText(/^Try again in [1-8] s\.$/).waitFor()
      assert.equal(await commentOf(page), comment)
      await page.getByText('You can try again now.').waitFor()
      // It waits for who decides.
      assert.deepEqual([sent, (await read(reviewCaseId)).state], [1, 'open'])
      await sendOnce(page, reviewCaseId)
    })

  it('is a decision, not sent without a network, and is once there is one', async () => {
    const { page, reviewCaseId } = await ready()
    let sent = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/decide')) sent++
    })
    await page.context().setOffline(true)
    await page.getByText('There is no connection.').first().waitFor()
    await sendButton(page).click({ force: true })
    assert.equal(sent, 0)
    await page.context().setOffline(false)
    await page.getByText('There is no connection.').first().waitFor({ state: 'detached' })
    assert.equal(await commentOf(page), comment)
    await sendOnce(page, reviewCaseId)
    assert.equal(sent, 1)
  })

  it('is a decision that needs scripts that do not come, and is made once they do', async () => {
    const reviewCaseId = await claimed()
    const page = await pageAs('reviewer', { path: '/queue?view=mine' })
    tolerate(/Failed to load resource/)
    const scripts = /\/assets\/(?!main)[^/]+\.js$/
    const link = page.getByRole('link', { name: refund.title }).first()
    await link.waitFor()
    await page.route(scripts, (route) => route.abort('connectionrefused'))
    await link.click()
    await page.getByText(/A part of this page did not load/).waitFor()
    await page.unroute(scripts)
    await page.getByRole('button', { name: 'Try again' }).click()
    await beReady(page)
    await choose(page, /Reject/)
    await page.getByLabel('Comment').fill(comment)
    await sendOnce(page, reviewCaseId)
  })

  it('is one of two decisions that come at once, taken once, and the other tab tells so', async () => {
    const { page, reviewCaseId } = await ready()
    const other = await newTab(page.context())
    await other.goto(pathOf(reviewCaseId).path)
    await beReady(other)
    await choose(other, /Reject/)
    await other.getByLabel('Comment').fill(comment)
    await settle(other)
    let arrived = 0
    let letPass = () => {}
    const both = new Promise<void>((resolve) => {
      letPass = resolve
    })
    await page.context().route('**/decide', async (route) => {
      if (++arrived === 2) letPass()
      await both
      await route.continue()
    })
    await Promise.all([page, other].map((each) => sendButton(each).click()))
    for (const each of [page, other]) {
      const told = each.getByText('It was decided by Ruth Reviewer: Rejected.')
      await each.getByRole('heading', { name: 'Rejected' }).or(told).waitFor()
      assert.equal(
        await each.getByRole('button', { name: 'Send the rejection', disabled: false }).count(),
        0,
      )
    }
    await assertRejectedOnce(reviewCaseId)
  })

  it('knows the codes', () => assert.ok(sentences.length > 60))

  it('is refused with any code, in words, and keeps what was typed', async () => {
    const page = await pageAs('admin', { path: '/applications/new' })
    tolerate(/Failed to load resource/)
    await page.getByLabel('Name').fill('Travel desk')
    let answer = { status: 0, code: '' }
    await page.route('**/v1/applications', (route) =>
      route.fulfill({
        status: answer.status,
        contentType: 'application/json',
        body: JSON.stringify({
          ...answer,
          type: `urn:countersign:error:${answer.code}`,
          errors: [],
        }),
      }),
    )
    for (const [code, sentence] of sentences)
      for (const status of [400, 500]) {
        answer = { status, code }
        await Promise.all([
          page.waitForResponse('**/v1/applications'),
          page.getByRole('button', { name: 'Create' }).click(),
        ])
        await page.getByRole('alert').getByText(sentence).waitFor()
        assert.equal(await page.getByLabel('Name').inputValue(), 'Travel desk', code)
      }
  })

  it('is an answer that no page expects, which leaves the navigation', async () => {
    const page = await pageAs('reviewer')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    tolerate(/./)
    await page.route('**/review-queue**', (route) => route.fulfill({ json: { rows: [null] } }))
    await page.getByRole('link', { name: 'Queue' }).click()
    await page.getByText('This part of the page is broken.').waitFor()
    await page.getByRole('link', { name: 'Evidence' }).click()
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
  })
})
