import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertLooks } from './every-look.ts'
import { describePortal } from './suite.ts'

describePortal('the way to a page or an id', (suite) => {
  const { pageAs } = suite

  it('leads by the keyboard to pages, cases, sessions and the cases of a session', async () => {
    const reviewCaseId = await suite.stage.openCase(
      { action: 'pay' },
      { sessionId: 'run-77', checkpointId: 'pay <b>it</b>' },
    )
    const page = await pageAs('admin', { path: '/organization', bypassCSP: true })
    const dialog = page.getByRole('dialog', { name: 'Go to' })
    const field = dialog.getByRole('textbox')
    const ask = async (text: string) => {
      await page.keyboard.press('Control+k')
      await field.waitFor()
      await page.waitForFunction('document.activeElement.name === "text"')
      await page.keyboard.type(text)
    }
    await page.getByLabel('Name').fill('Typed before')
    await ask('aud')
    await dialog.getByRole('link', { name: 'Audit log' }).waitFor()
    await page.keyboard.press('Escape')
    assert.equal(await page.getByLabel('Name').inputValue(), 'Typed before')
    await ask('aud')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()

    await ask(reviewCaseId)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'pay' }).waitFor()
    assert.equal(new URL(page.url()).pathname, `/cases/${reviewCaseId}`)

    await ask('run-77')
    await dialog.getByRole('link', { name: 'Case pay <b>it</b>, open' }).waitFor()
    await assertLooks(page, 'search')
    await field.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    assert.equal(new URL(page.url()).pathname, `/cases/${reviewCaseId}`)

    await page.keyboard.press('Escape')
    await suite.stage.openCase(
      { title: 'Refund of 7 EUR', action: { tool: 'ledger.transfer' } },
      { sessionId: 'run-78', checkpointId: 'transfer' },
    )
    for (const words of ['ledger.TR', 'of 7 eur']) {
      await ask(words)
      await dialog
        .getByRole('link', { name: 'Open case Refund of 7 EUR, ledger.transfer' })
        .waitFor()
      assert.equal(await dialog.getByRole('link', { name: /^Open case/ }).count(), 1)
      await page.keyboard.press('Escape')
    }

    await ask('no such words')
    await dialog.getByText('Nothing here has this name.').waitFor()
    await page.keyboard.press('Enter')
    assert.equal(await dialog.count(), 1)
  })

  it('shows a member no page that they may not see', async () => {
    const page = await pageAs('auditor', { path: '/me' })
    await page.getByRole('button', { name: 'Go to' }).click()
    const dialog = page.getByRole('dialog', { name: 'Go to' })
    await dialog.getByRole('link', { name: 'Audit log' }).waitFor()
    assert.equal(await dialog.getByRole('link', { name: 'Queue' }).count(), 0)
  })
})
