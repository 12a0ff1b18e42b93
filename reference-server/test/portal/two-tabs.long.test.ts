import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Route } from 'playwright-core'
import { casesOf } from './case-steps.ts'
import { addAuthenticator, prepareDecision } from './signing-steps.ts'
import { describePortal } from './suite.ts'
import { virtualAuthenticator } from './virtual-authenticator.ts'

describePortal(
  'two tabs of one reviewer',
  (suite) => {
    const { pageAs, newTab, tolerate } = suite
    const { read, claimed } = casesOf(suite)

    it('that sign at the same time decide once, and the other one says so', async () => {
      const first = await pageAs('reviewer', { path: '/me' })
      const device = await virtualAuthenticator(first)
      await addAuthenticator(first, 'Blue key')
      const second = await newTab(first.context())
      tolerate(/409/)
      await virtualAuthenticator(second, device)

      const reviewCaseId = await claimed()
      const tabs = [
        {
          page: first,
          heading: 'Approved',
          send: await prepareDecision(first, reviewCaseId, true),
        },
        {
          ...{ page: second, heading: 'Rejected' },
          send: await prepareDecision(second, reviewCaseId, false),
        },
      ]
      // Both have signed before either is decided.
      const signed: Route[] = []
      let tell = () => {}
      const both = new Promise<void>((resolve) => {
        tell = resolve
      })
      await first.context().route('**/decide', (route) => {
        signed.push(route)
        if (signed.length === tabs.length) tell()
      })
      for (const { send } of tabs) await send.click()
      await both
      await Promise.all(signed.map((route) => route.continue()))

      const lost = 'This changed while you looked at it'
      const isDecided = await Promise.all(
        tabs.map(async ({ page, heading }) => {
          const decided = page.getByRole('heading', { name: heading })
          await decided.or(page.getByText(lost)).first().waitFor()
          return (await page.getByText(lost).count()) === 0
        }),
      )
      assert.equal(isDecided.filter(Boolean).length, 1)
      const { decision, decisionSignature } = await read(reviewCaseId)
      assert.equal(decision, isDecided[0] ? 'approved' : 'rejected')
      assert.equal(decisionSignature?.statement.decision, decision)
    })
  },
  {},
  'localhost',
)
