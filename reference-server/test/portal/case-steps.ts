import { type MemberActor, unwrap } from '@countersign/core'
import type { Page } from 'playwright-core'
import type { PortalSuite } from './suite.ts'

export const refund = {
  title: 'Refund as agreed',
  action: { tool: 'payments.refund', arguments: { amount: 1200, currency: 'EUR' } },
  before: { balance: 5310, tags: ['a', 'b'] },
  after: { balance: 4110, tags: ['a', 'c'] },
  note: 'urgent',
}

/** Lets time pass by the page's own clock, which a busy machine holds up as it does what the page has begun. */
export const letPass = (page: Page, ms: number) =>
  page.evaluate(`new Promise((resolve) => setTimeout(resolve, ${ms}))`)

/** What came to the front settles for half a second, in which nothing that is pressed counts. */
export const settle = (page: Page) => letPass(page, 700)

/** Waits until a case is drawn whole, its form can be used, and both have settled. */
export async function beReady(page: Page): Promise<void> {
  await page.getByText('matches the case').waitFor()
  // A script of its own, which may come later, and with it the keys of the form.
  await page.getByRole('form', { name: 'Decision' }).waitFor()
  await settle(page)
}

/**
 * Opens a page whose clock a test can stop: a busy machine takes longer from one step of a test to the next than what
 * is tried may take.
 */
export async function openOnClock(page: Page, path: string): Promise<void> {
  await page.clock.install()
  await page.goto(path)
}

/** Stops the clock of a page that was opened on it; only `page.clock.runFor` lets time pass from then on. */
export async function stopClock(page: Page): Promise<void> {
  // Ahead of what the clock shows by the time that it stops, and less than a call that is under way may take.
  await page.clock.pauseAt(await page.evaluate<number>('Date.now() + 15_000'))
}

/** What is chosen can be sent once that has settled, too. */
export async function choose(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('radio', { name }).click()
  await settle(page)
}

/** Brings each part of the document into view. */
export async function seeAll(page: Page): Promise<void> {
  await page.getByText('matches the case').waitFor()
  for (let part = 0; part < 6; part++) {
    await page.keyboard.press('j')
    await letPass(page, 300)
  }
}

/** Cases of a suite, as the application opens them and a reviewer takes them. */
export function casesOf(suite: PortalSuite) {
  let opened = 0
  const open = (presentation: unknown = refund, more = {}) =>
    suite.stage.openCase(presentation, { checkpointId: `checkpoint-${opened++}`, ...more })
  const actorOf = (memberId: string): MemberActor => ({
    kind: 'member',
    tenantId: suite.stage.tenantId,
    memberId,
    role: 'CustomerAuditor',
    permissions: ['Review Cases'],
  })
  const read = async (reviewCaseId: string) =>
    unwrap(await suite.stage.service.reviewCases.read(suite.stage.admin, { reviewCaseId }))
  const claimed = async (presentation: unknown = refund, more = {}) => {
    const reviewCaseId = await open(presentation, more)
    const { memberId } = suite.stage.members.reviewer
    unwrap(await suite.stage.service.reviewCases.claim(actorOf(memberId), { reviewCaseId }))
    return reviewCaseId
  }
  const pathOf = (reviewCaseId: string) => ({ path: `/cases/${reviewCaseId}`, bypassCSP: true })
  return { open, read, claimed, pathOf }
}
