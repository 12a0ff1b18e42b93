import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Cookie, Page } from 'playwright-core'
import { noChromium, openChromium } from './chromium.ts'
import { type Watch, watchPage } from './faults.ts'
import { holdAnswers } from './held-answers.ts'
import { type Login, openStage, type PortalStage, type Visitor } from './stage.ts'

/** How a page is opened. */
export interface Opening extends BrowserContextOptions {
  /** The page that is opened first; `/` unless given. */
  readonly path?: string
  /** Whether the page waits for its next read as long as elsewhere, so that its network is idle between. */
  readonly isSlow?: boolean
}

/** What the tests of a suite share; `stage` is there once they run. */
export interface PortalSuite {
  readonly stage: PortalStage
  readonly browser: Browser
  /** A page in a context of its own, with the session of a member; null: of nobody. */
  pageAs(visitor: Visitor | null, opening?: Opening): Promise<Page>
  /** Another tab of a browser, which is watched as the first is. */
  newTab(context: BrowserContext): Promise<Page>
  /** Leaves out what the console of all pages of this test tells from now on. */
  tolerate(text: RegExp): void
  /** What pages did that no page may do; a test that takes it is not failed by it. */
  takeFaults(): readonly string[]
}

/** Pages read again after an eighth of the time that they wait by default; deadlines and spans of other lengths stay. */
const quickReads = `{
  const { setTimeout } = window
  window.setTimeout = (act, ms, ...given) =>
    setTimeout(act, [5_000, 10_000, 15_000].includes(ms) ? ms / 8 : ms, ...given)
}`

/** Waits in a page end after this, unless a test says otherwise. */
const patienceMs = 30_000

/**
 * Tests in a browser, against one server and its organization. After each test its pages are closed, and the test
 * fails if one of them logged an error, violated the policy or asked another origin. Skipped without a browser.
 */
export function describePortal(
  name: string,
  tests: (suite: PortalSuite) => void,
  settings: Readonly<Record<string, string>> = {},
  host: '127.0.0.1' | 'localhost' = '127.0.0.1',
): void {
  describe(name, { skip: noChromium }, () => {
    let stage: PortalStage | null = null
    let browser: Browser | null = null
    let watches: Watch[] = []
    let test = ''
    before(async () => {
      ;[stage, browser] = await Promise.all([openStage(settings, host), openChromium()])
    })
    const cookies = new Map<string, readonly Cookie[]>()

    /** With the session of an earlier page where it still holds, for a login costs a password's hash. */
    async function enter(context: BrowserContext, { email, password }: Login): Promise<void> {
      await context.addCookies(cookies.get(email) ?? [])
      if ((await context.request.get('/v1/auth/session')).ok()) return
      const answer = await context.request.post('/v1/auth/login', { data: { email, password } })
      assert.equal(answer.status(), 200, await answer.text())
      cookies.set(email, await context.cookies())
    }

    beforeEach((context) => {
      test = context.name
    })
    async function newTab(context: BrowserContext): Promise<Page> {
      const page = await context.newPage()
      await holdAnswers(page, test)
      watches.push(watchPage(page, there(stage).origin))
      return page
    }

    const takeFaults = () => watches.flatMap((watch) => watch.take())
    afterEach(async () => {
      const faults = takeFaults()
      watches = []
      for (const context of browser?.contexts() ?? []) await context.close()
      assert.deepEqual(faults, [])
    })
    after(async () => {
      await browser?.close()
      await stage?.stop()
    })
    tests({
      get stage() {
        return there(stage)
      },
      get browser() {
        return there(browser)
      },
      pageAs: async (visitor, { path = '/', isSlow, ...options } = {}) => {
        const { origin, members } = there(stage)
        const context = await there(browser).newContext({ baseURL: origin, ...options })
        context.setDefaultTimeout(patienceMs)
        if (!isSlow) await context.addInitScript(quickReads)
        if (visitor) await enter(context, members[visitor])
        const page = await newTab(context)
        await page.goto(path)
        return page
      },
      newTab,
      tolerate: (text) => {
        for (const watch of watches) watch.tolerate(text)
      },
      takeFaults,
    })
  })
}

function there<T>(value: T | null): T {
  if (value === null) throw new Error('there once tests run: take it from the suite within a test')
  return value
}
