import type { Page } from 'playwright-core'
import { beReady, choose, seeAll } from './case-steps.ts'

/** Adds the first authenticator of the page's member, whose page of themselves is open. */
export async function addAuthenticator(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add an authenticator' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByLabel('Password').fill('correct horse battery')
  await dialog.getByRole('button', { name: 'Add it' }).click()
  await page.getByText(`${name} signs your decisions from now on.`).waitFor()
}

/** Opens a case and chooses a decision, which the button that it answers sends. */
export async function prepareDecision(page: Page, reviewCaseId: string, approves: boolean) {
  await page.goto(`/cases/${reviewCaseId}`)
  await beReady(page)
  await seeAll(page)
  await choose(page, approves ? /Approve/ : /Reject/)
  await page.getByLabel('Comment').fill(approves ? 'Agreed.' : 'Not agreed.')
  return page.getByRole('button', { name: approves ? 'Send the approval' : 'Send the rejection' })
}
