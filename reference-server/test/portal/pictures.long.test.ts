import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { keepScreenshot } from './screenshots.ts'
import { describePortal } from './suite.ts'

const refund = {
  action: {
    tool: 'payments.refund',
    arguments: { amount: '1200.00', currency: 'EUR', to: 'DE89370400440532013000' },
  },
  before: { balance: '5310.00', invoice: { number: 'R-7781', state: 'paid' } },
  after: { balance: '4110.00', invoice: { number: 'R-7781', state: 'refunded' } },
  title: 'Refund 1 200.00 EUR to DE89 3704 0044 0532 0130 00',
  summary: 'Refund as agreed with the customer.',
}
const others = [
  ['urgent', { title: 'Unlock the account of a customer', action: 'unlock' }],
  ['high', { title: 'Delete 3 customer records', action: 'delete' }],
  ['standard', { title: 'Send a mail to 240 people', action: 'mail' }],
] as const

describePortal('the pictures of the README', (suite) => {
  let reviewCaseId: string
  before(async () => {
    for (const [reviewTier, presentation] of others)
      await suite.stage.openCase(presentation, { reviewTier })
    reviewCaseId = await suite.stage.openCase(refund, { reviewTier: 'high' })
    await (await suite.stage.clientOf('reviewer')).reviewCases.claim({ reviewCaseId })
  })

  for (const colorScheme of ['light', 'dark'] as const)
    it(`show the queue and a case, ${colorScheme}`, async () => {
      const viewport = { width: 1200, height: 720 }
      const page = await suite.pageAs('reviewer', { path: '/queue', viewport, colorScheme })
      await page.getByRole('link', { name: 'Send a mail' }).waitFor()
      await keepScreenshot(page, `queue-${colorScheme}`, false)
      await page.getByRole('link', { name: 'Refund' }).click()
      await page.getByText('matches the case').waitFor()
      await page.getByRole('radio', { name: 'Reject' }).waitFor()
      await keepScreenshot(page, `case-${colorScheme}`, false)
      assert.equal(new URL(page.url()).pathname, `/cases/${reviewCaseId}`)
    })
})
