import assert from 'node:assert/strict'
import { after, beforeEach, it } from 'node:test'
import { unwrap } from '@countersign/core'
import type { Page } from 'playwright-core'
import { assertLooks } from './every-look.ts'
import { openReceiver } from './receiver.ts'
import { assertGone } from './remains.ts'
import { describePortal } from './suite.ts'

const receiver = await openReceiver()
after(() => receiver.close())

describePortal(
  'the pages of webhooks',
  (suite) => {
    const { pageAs } = suite
    beforeEach(() => {
      receiver.status = 200
    })
    const create = async (path: string, method: 'ed25519' | 'shared_secret' = 'ed25519') =>
      unwrap(
        await suite.stage.service.webhooks.create(suite.stage.admin, {
          url: receiver.origin + path,
          eventTypes: ['*'],
          signing: { method },
        }),
      )
    /** The secret of the dialog that is open, which is closed then. */
    async function takeSecret(page: Page): Promise<string> {
      const dialog = page.getByRole('dialog')
      const secret = String(await dialog.locator('code').textContent())
      for (let times = 0; times < 3; times++) await page.keyboard.press('Escape')
      await dialog.getByText(secret).waitFor()
      await dialog.getByRole('button', { name: 'I have stored it' }).click()
      await dialog.waitFor({ state: 'detached' })
      return secret
    }

    it('lead from an empty list to a webhook by the keyboard, and show its secret once', async () => {
      const page = await pageAs('admin', { path: '/webhooks', bypassCSP: true })
      await page.getByText('There is no webhook yet').waitFor()
      await assertLooks(page, 'webhooks-empty')
      await page.getByRole('link', { name: 'Add the first webhook' }).focus()
      await page.keyboard.press('Enter')
      await page.getByLabel('Address').fill(`${receiver.origin}/first`)
      await page.getByLabel('These alone').check()
      await page.getByLabel('A case was decided').check()
      await page.getByLabel('Signature').selectOption('shared_secret')
      await assertLooks(page, 'webhook-new')
      await page.getByRole('button', { name: 'Create' }).focus()
      await page.keyboard.press('Enter')
      const secret = await takeSecret(page)
      assert.match(secret, /^whsec_/)
      await page.getByText('1 type of event').waitFor()
      await assertGone(page, secret)
      await assertLooks(page, 'webhook')
      await page.goBack()
      await assertGone(page, secret)
    })

    it('name what is wrong at its field, and keep what was entered', async () => {
      const page = await pageAs('admin', { path: '/webhooks/new' })
      await page.getByLabel('Address').fill('https://10.0.0.1/hooks')
      await page.getByRole('button', { name: 'Create' }).click()
      await page
        .getByRole('alert')
        .getByText(/never called/)
        .waitFor()
      assert.equal(await page.getByLabel('Address').inputValue(), 'https://10.0.0.1/hooks')
    })

    it('rotate a secret after a question, and tell until when the previous one signs', async () => {
      const { id } = await create('/rotated', 'shared_secret')
      const page = await pageAs('admin', { path: `/webhooks/${id}` })
      await page.getByRole('button', { name: 'Rotate the secret' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
      const secret = await takeSecret(page)
      await page.getByText('signs too until').waitFor()
      await assertGone(page, secret)
    })

    it('ask for another address after a 410, and turn the webhook on there', async () => {
      const { id } = await create('/gone')
      receiver.status = 410
      await suite.stage.service.webhooks.requestVerification(suite.stage.admin, { webhookId: id })
      const page = await pageAs('admin', { path: `/webhooks/${id}`, bypassCSP: true })
      // The list of what was missed says it, too.
      await page.locator('.notice').getByText('answered 410 Gone').waitFor()
      receiver.status = 200
      await assertLooks(page, 'webhook-gone')
      assert.equal(await page.getByRole('button', { name: 'Turn on', exact: true }).count(), 0)
      await page.getByLabel('New address').fill(`${receiver.origin}/moved`)
      await page.keyboard.press('Enter')
      await page.getByText('receiving').waitFor()
      await page.getByText(`${receiver.origin}/moved`).waitFor()
    })

    it('turn a webhook off after a question, on again, test it and remove it', async () => {
      const { id } = await create('/turned')
      const page = await pageAs('admin', { path: `/webhooks/${id}` })
      await page.getByRole('button', { name: 'Turn off' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click()
      // Above, and later in the list of what happened.
      await page.getByText('A member turned it off.').first().waitFor()
      await page.getByRole('button', { name: 'Turn on' }).click()
      await page.getByText('It receives again.').waitFor()
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page.getByText(/^The test arrived: status 200/).waitFor()
      receiver.status = 500
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page.getByText(/^The test failed: status 500/).waitFor()
      receiver.status = 200
      await page.getByRole('button', { name: 'Remove' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
      await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
      assert.equal(await page.getByText('/turned').count(), 0)
    })

    it('change what a webhook gets, and leave the rest as it is', async () => {
      const { id } = await create('/changed')
      const page = await pageAs('admin', { path: `/webhooks/${id}` })
      await page.getByRole('link', { name: 'Change', exact: true }).click()
      await page.getByLabel('What it is for').fill('the ledger')
      await page.getByLabel('These alone').check()
      await page.getByLabel('A case was decided').check()
      await page.getByLabel('A case expired').check()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('2 types of events').waitFor()
      await page.getByText('the ledger').waitFor()
      await page.getByText('/changed').waitFor()
    })

    it('show who may not change a webhook what there is, and nothing to change it with', async () => {
      const { id } = await create('/seen')
      const page = await pageAs('auditor', { path: `/webhooks/${id}` })
      await page.getByText('/seen').waitFor()
      assert.equal(await page.getByRole('button', { name: /Turn|Rotate|Remove|test/ }).count(), 0)
    })
  },
  receiver.settings,
)
