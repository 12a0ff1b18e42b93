import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describePortal } from './suite.ts'
import { until } from './until.ts'

describePortal('the frame of the pages', ({ pageAs, tolerate, takeFaults }) => {
  const focused = 'document.activeElement?.textContent.trim()'

  it('leads nobody to the login, and whoever logs in to where they wanted to be', async () => {
    const page = await pageAs(null, { path: '/no-such-page?x=1' })
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    assert.equal(new URL(page.url()).search, `?to=${encodeURIComponent('/no-such-page?x=1')}`)
    await page.getByLabel('E-mail address').fill('reviewer@acme.example')
    await page.getByLabel('Password').fill('correct horse battery')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Not here' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/no-such-page')
  })

  it('stays logged in when the question who is logged in is answered after the login', async () => {
    // A page that does not ask it by itself.
    const page = await pageAs(null, { path: '/countersign-verify.html' })
    let release = () => {}
    const loggedIn = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(
      '**/v1/auth/session',
      async (route) => {
        const response = await route.fetch()
        await loggedIn
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    await page.goto('/login?to=/me')
    await page.getByLabel('E-mail address').fill('reviewer@acme.example')
    await page.getByLabel('Password').fill('correct horse battery')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'You', exact: true }).waitFor()
    release()
    // By the page itself: what Playwright hears of an answer that was held may lack its end.
    const late = `performance.getEntriesByType('resource').some(
      ({ name, responseStatus }) => name.endsWith('/v1/auth/session') && responseStatus === 401)`
    await until('the late answer to be read', async () => (await page.evaluate(late)) || null)
    await page.getByRole('link', { name: 'Queue' }).click()
    await page.getByRole('heading', { name: 'Queue' }).waitFor()
  })

  it('goes nowhere else for a login that names another site', async () => {
    const page = await pageAs(null)
    for (const to of ['https://evil.example/', '//evil.example/', '/\\evil.example/']) {
      await page.goto(`/login?to=${encodeURIComponent(to)}`)
      await page.getByLabel('E-mail address').fill('reviewer@acme.example')
      await page.getByLabel('Password').fill('correct horse battery')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      assert.equal(new URL(page.url()).pathname, '/', to)
    }
  })

  it('begins with a way past the navigation, and puts the focus on the heading of a page', async () => {
    const page = await pageAs('reviewer')
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    assert.equal(await page.evaluate(focused), 'Overview')
    const first = `document.querySelector('a[href], button, summary').textContent.trim()`
    assert.equal(await page.evaluate(first), 'Skip to the page')
    for (let back = 0; back < 30; back++) {
      if ((await page.evaluate(focused)) === 'Skip to the page') break
      await page.keyboard.press('Shift+Tab')
    }
    await page.keyboard.press('Enter')
    assert.equal(new URL(page.url()).hash, '#main')
  })

  it('takes a key that is pressed as soon as the page is drawn', async () => {
    const page = await pageAs('reviewer', { path: '/countersign-verify.html' })
    // A watcher hears of the change before the browser paints it.
    await page.addInitScript(`new MutationObserver((_, watcher) => {
      if (!document.querySelector('header nav')) return
      watcher.disconnect()
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true }))
    }).observe(document, { childList: true, subtree: true })`)
    await page.goto('/me')
    await page.getByRole('heading', { level: 1, name: 'You' }).waitFor()
    await page.getByRole('dialog').waitFor()
  })

  it('logs out, after which the way back shows nothing', async () => {
    const page = await pageAs('reviewer', { path: '/queue' })
    await page.getByText('Ruth Reviewer', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    // Whoever comes next is not led to a page that may be none of theirs.
    assert.match(page.url(), /\/login$/)
    await page.goto('/')
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    assert.equal(await page.getByText('Ruth Reviewer').count(), 0)
  })

  it('runs no script, markup or style of others, and asks no other origin', async () => {
    const page = await pageAs('reviewer')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    // The browser tells of each attempt by itself, sometimes twice, and of the second time when it has the time.
    for (const [attempt, refusal] of [
      [
        `const script = document.createElement('script'); script.textContent = 'window.ran = 1'; document.body.append(script)`,
        /TrustedScript/,
      ],
      [`document.body.innerHTML = '<b>markup</b>'`, /TrustedHTML/],
      [
        `const image = new Image(); image.src = 'https://evil.example/'; document.body.append(image)`,
        /img-src/,
      ],
      [`fetch('https://evil.example/').catch(() => {})`, /connect-src/],
      [
        `document.body.insertAdjacentElement('beforeend', Object.assign(document.createElement('iframe'), { src: '/login' }))`,
        /frame/,
      ],
    ] as const) {
      const told = page.waitForEvent('console', (message) => refusal.test(message.text()))
      await page.evaluate(`(() => { ${attempt} })()`).catch(() => {})
      await told
      assert.ok(
        takeFaults().some((fault) => refusal.test(fault)),
        attempt,
      )
    }
    assert.equal(await page.evaluate('window.ran'), undefined)
    tolerate(/./)
    takeFaults()
  })
})
