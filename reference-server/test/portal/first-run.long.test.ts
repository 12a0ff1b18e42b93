import { it } from 'node:test'
import { assertLooks } from './every-look.ts'
import { describePortal } from './suite.ts'

describePortal('the first run', (suite) => {
  const { pageAs } = suite

  it('leads an admin without cases from the key to the first case, which appears', async () => {
    const reviewer = await pageAs('reviewer')
    await reviewer.getByRole('heading', { name: 'Overview' }).waitFor()
    const page = await pageAs('admin', { bypassCSP: true })
    await page.getByText('Waiting for it…').waitFor()
    await page.getByRole('heading', { name: 'A key (done)' }).waitFor()
    await page.getByRole('link', { name: 'Add a webhook' }).waitFor()
    await assertLooks(page, 'first-run')
    const reviewCaseId = await suite.stage.openCase({ action: 'pay' })
    await page.getByText('It is here').waitFor()
    await page.locator(`a[href="/cases/${reviewCaseId}"]`).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByText('Your first case').waitFor({ state: 'detached' })
    await reviewer.getByText('Your first case').waitFor({ state: 'detached' })
  })
})
