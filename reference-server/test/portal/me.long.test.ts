import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertLooks } from './every-look.ts'
import { describePortal } from './suite.ts'

describePortal('the page about oneself', (suite) => {
  const { pageAs, tolerate } = suite

  it('keeps preferences, and nothing else, for the next visit', async () => {
    const page = await pageAs('auditor', { path: '/me', locale: 'en-GB', timezoneId: 'UTC' })
    await page.getByLabel('Colours').selectOption('dark')
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo')
    await page.getByLabel('Single keys act').uncheck()
    await page.reload()
    assert.equal(await page.getByLabel('Colours').inputValue(), 'dark')
    assert.equal(await page.getByLabel('Time zone').inputValue(), 'Asia/Tokyo')
    assert.equal(await page.getByLabel('Single keys act').isChecked(), false)
    const style = 'getComputedStyle(document.documentElement).colorScheme'
    assert.equal(await page.evaluate(style), 'dark')
    await page.locator('time').first().waitFor()
    const times = await page
      .locator('time')
      .evaluateAll((all) =>
        all.map((time) => [time.getAttribute('datetime') ?? '', time.textContent ?? '']),
      )
    const inTokyo = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Asia/Tokyo' })
    assert.ok(times.length > 0)
    for (const [at = '', text = ''] of times)
      assert.ok(text.endsWith(inTokyo.format(new Date(at))), `${at}: ${text}`)
    assert.deepEqual(await page.evaluate('[Object.keys(localStorage), sessionStorage.length]'), [
      ['countersign.preferences'],
      0,
    ])
  })

  it('works with preferences of anything', async () => {
    const page = await pageAs('auditor', { path: '/me' })
    for (const stored of [
      '{',
      '7',
      'null',
      '{"theme":"<b>","timeZone":"Atlantis","singleKeys":3}',
    ]) {
      await page.evaluate(
        `localStorage.setItem('countersign.preferences', ${JSON.stringify(stored)})`,
      )
      await page.reload()
      await page.getByRole('heading', { level: 1, name: 'You' }).waitFor()
      assert.equal(await page.getByLabel('Colours').inputValue(), 'system', stored)
      assert.equal(await page.getByLabel('Time zone').inputValue(), '', stored)
      assert.equal(await page.getByLabel('Single keys act').isChecked(), true, stored)
    }
  })

  it('changes the password: other places are logged out, this one goes on', async () => {
    const { email, password } = suite.stage.members.secondReviewer
    const [here, there] = [
      await pageAs('secondReviewer', { path: '/me' }),
      await pageAs('secondReviewer', { path: '/me' }),
    ]
    const next = 'three ducks on a lake'
    const change = async (current: string, chosen: string) => {
      await here.getByLabel('Present password').fill(current)
      await here.getByLabel('New password').fill(chosen)
      await here.getByRole('button', { name: 'Change the password' }).click()
    }
    await change('not the password', next)
    await here.getByRole('alert').waitFor()
    assert.equal(await here.getByLabel('New password').inputValue(), next)
    await change(password, next)
    await here.getByText('The password is changed.').waitFor()
    assert.equal(await here.getByLabel('Present password').inputValue(), '')
    assert.ok(!(await here.content()).includes(next))
    await here.reload()
    await here.getByRole('heading', { level: 1, name: 'You' }).waitFor()
    await there.reload()
    await there.getByRole('heading', { name: 'Log in' }).waitFor()
    await there.getByLabel('E-mail address').fill(email)
    await there.getByLabel('Password').fill(next)
    await there.keyboard.press('Enter')
    await there.getByRole('heading', { level: 1, name: 'You' }).waitFor()
  })

  it('logs out everywhere', async () => {
    const here = await pageAs('integrator', { path: '/me' })
    const there = await pageAs('integrator', { path: '/me' })
    await here.getByRole('button', { name: 'Log out everywhere' }).click()
    await here.getByRole('heading', { name: 'Log in' }).waitFor()
    await there.reload()
    await there.getByRole('heading', { name: 'Log in' }).waitFor()
  })

  it('says that it is offline, and keeps what was typed', async () => {
    const page = await pageAs('reviewer', { path: '/me' })
    tolerate(/ERR_INTERNET_DISCONNECTED/)
    await page.getByLabel('Present password').fill('typed before')
    await page.getByLabel('New password').fill('typed before, too')
    await page.context().setOffline(true)
    // The browser tells the page of it, which takes a while.
    await page.getByText('There is no connection: what you see may be old').waitFor()
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('There is no connection: nothing was sent.').waitFor()
    assert.equal(await page.getByLabel('Present password').inputValue(), 'typed before')
  })

  it('satisfies axe in its looks', async () => {
    const page = await pageAs('admin', { path: '/me', bypassCSP: true })
    await page.getByRole('heading', { level: 1, name: 'You' }).waitFor()
    await assertLooks(page, 'me')
  })
})
