import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { unwrap } from '@countersign/core'
import { attestationRoot } from '../attestation-root.ts'
import { scratchDirectory } from '../processes/scratch.ts'
import { assertLooks } from './every-look.ts'
import { describePortal } from './suite.ts'
import { virtualAuthenticator } from './virtual-authenticator.ts'

const model = '2fc0579f-8113-47ea-b116-bb5a8db9202a'
const roots = join(scratchDirectory(), 'roots.json')
writeFileSync(roots, JSON.stringify({ [model]: [attestationRoot] }))

describePortal(
  'models of security keys that sign decisions',
  (suite) => {
    const { pageAs, tolerate } = suite

    it('are listed by an admin, and an authenticator that proves no model is not added', async () => {
      const page = await pageAs('admin', { path: '/organization' })
      tolerate(/4(00|09)/)
      const dialog = page.getByRole('dialog')
      await page
        .getByText('Signatures of decisions are taken of authenticators of any model.')
        .waitFor()
      await page.getByRole('button', { name: 'Change the models' }).click()
      const models = dialog.getByLabel('Models that sign decisions')
      await models.fill('fa2b99dc-9e39-4257-8f92-4a30d23c4118 Red')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('expected a model of which this service').first().waitFor()
      await models.fill(`${model.toUpperCase()} Blue  key\u200b\n\n`)
      await assertLooks(page, 'signing-models')
      await dialog.getByRole('button', { name: 'Save' }).click()
      // As it was written, and with what can't be seen.
      const label = page.locator('bdi', { hasText: /^Blue {2}key/ })
      await label.waitFor()
      assert.match(await label.innerText(), /^Blue {2}key/)
      await label.locator('mark').waitFor()

      // Another admin changes them while the form is open, whose change is not lost unseen.
      await page.getByRole('button', { name: 'Change the models' }).click()
      const { admin, service } = suite.stage
      const theirs = { models: [{ aaguid: model, label: 'Theirs' }] }
      unwrap(await service.signingModels.set(admin, theirs))
      await models.fill(`${model} Ours`)
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('This changed while you looked at it').first().waitFor()
      await dialog.getByText('Another admin changed the models meanwhile').waitFor()
      await dialog.getByText('Theirs').waitFor()
      assert.deepEqual(unwrap(await service.signingModels.read(admin, {})).models, theirs.models)
      assert.equal(await models.inputValue(), `${model} Ours`)
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.locator('bdi', { hasText: /^Ours$/ }).waitFor()

      // Who takes it off the list signs for it, and can't.
      await page.getByRole('button', { name: 'Change the models' }).click()
      await models.fill('')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('This needs the signature of an authenticator').first().waitFor()

      const other = await pageAs('reviewer', { path: '/me' })
      await virtualAuthenticator(other)
      const adding = other.getByRole('dialog')
      await other.getByRole('button', { name: 'Add an authenticator' }).click()
      await adding.getByLabel('Name').fill('Unproven')
      await adding.getByLabel('Password').fill('correct horse battery')
      await adding.getByRole('button', { name: 'Add it' }).click()
      await adding.getByText('signatures of certain models').first().waitFor()
    })
  },
  { COUNTERSIGN_ATTESTATION_ROOTS_FILE: roots },
  'localhost',
)
