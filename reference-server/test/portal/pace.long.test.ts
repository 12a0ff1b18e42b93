import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { beReady, casesOf } from './case-steps.ts'
import { large } from './documents.ts'
import { describePortal } from './suite.ts'

const tries = 20

const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN

/** Runs in the page: once rows are there and painted, ms from the start of the navigation to the largest text or picture. */
const largestPaint = `new Promise((resolve) => {
  const told = () =>
    new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
      .observe({ type: 'largest-contentful-paint', buffered: true })
  const look = () => requestAnimationFrame(() =>
    document.querySelector('[data-row]') ? requestAnimationFrame(() => setTimeout(told)) : look())
  look()
})`

/** Runs in the page: ms from the start of the navigation to the first read of the queue, and to the first paint. */
const askedAndPainted = `[
  performance.getEntriesByType('resource').find(({ name }) => name.includes('/review-queue')),
  performance.getEntriesByName('first-contentful-paint')[0],
].map(({ startTime }) => startTime)`

/** Runs in the page: from now on, ms from each key to the paint after it. */
const watchKeys = `window.painted = []
addEventListener('keydown', ({ timeStamp }) => {
  requestAnimationFrame(() => {
    // After this frame's paint, ahead of whatever else waits.
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => painted.push(performance.now() - timeStamp)
    port2.postMessage(null)
  })
}, { capture: true })`

/**
 * Reports the times that passed, which depend on what else the machine does. Asserts the processor time that drawing
 * used, which depends on it less.
 */
describePortal('how fast pages are', (suite) => {
  const { claimed, open, pathOf } = casesOf(suite)

  /** Processor time of all processes that draw pages, ms. */
  async function drawnMs(): Promise<number> {
    const session = await suite.browser.newBrowserCDPSession()
    const { processInfo } = await session.send('SystemInfo.getProcessInfo')
    await session.detach()
    const drawing = processInfo.filter(({ type }) => type === 'renderer')
    return drawing.reduce((sum, { cpuTime }) => sum + cpuTime * 1_000, 0)
  }

  /** Loads the queue; by the protocol alone, for what finds texts in a page costs it as much as drawing does. */
  async function queueIn(page: Page, session: CDPSession): Promise<number> {
    await page.goto('/queue')
    const { result } = await session.send('Runtime.evaluate', {
      expression: largestPaint,
      awaitPromise: true,
    })
    return Number(result.value)
  }

  /** Each load is a first one. */
  async function uncached(page: Page): Promise<CDPSession> {
    const session = await page.context().newCDPSession(page)
    await session.send('Network.setCacheDisabled', { cacheDisabled: true })
    return session
  }

  it('show the queue with 500 ms of the processor', async (test) => {
    for (let one = 0; one < 50; one++) await open()
    const page = await suite.pageAs('reviewer', { path: '/queue' })
    const session = await uncached(page)
    const [times, used]: [number[], number[]] = [[], []]
    for (let at = 0; at < tries; at++) {
      const before = await drawnMs()
      times.push(await queueIn(page, session))
      used.push((await drawnMs()) - before)
    }
    test.diagnostic(
      `largest paint ${median(times).toFixed()} ms, processor ${median(used).toFixed()} ms`,
    )
    assert.ok(median(used) <= 500, `${median(used)} ms of the processor`)
  })

  it('ask for the queue before the first paint, also on a processor four times as slow', async (test) => {
    for (let one = 0; one < 50; one++) await open()
    const page = await suite.pageAs('reviewer', { path: '/queue' })
    const session = await uncached(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    const times: number[] = []
    for (let at = 0; at < tries; at++) {
      times.push(await queueIn(page, session))
      const [asked, painted] = await page.evaluate<readonly [number, number]>(askedAndPainted)
      assert.ok(asked < painted, `asked ${asked} ms and painted ${painted} ms after the start`)
    }
    test.diagnostic(`largest paint ${median(times).toFixed()} ms`)
  })

  it('answer a key with 100 ms of the processor', async (test) => {
    const page = await suite.pageAs('reviewer', pathOf(await claimed()))
    await uncached(page)
    await beReady(page)
    await page.evaluate(watchKeys)
    const used: number[] = []
    for (let at = 0; at < tries; at++) {
      const before = await drawnMs()
      await page.keyboard.press(at % 2 ? 'k' : 'j')
      await page.waitForFunction(`painted.length > ${at}`)
      used.push((await drawnMs()) - before)
    }
    const times = await page.evaluate<number[]>('painted')
    test.diagnostic(
      `key to paint ${median(times).toFixed()} ms, processor ${median(used).toFixed()} ms`,
    )
    assert.ok(median(used) <= 100, `${median(used)} ms of the processor`)
  })

  it('show a document of 1 MiB with a second of the processor', async (test) => {
    const path = pathOf(await claimed(large(1_000_000)))
    const page = await suite.pageAs('reviewer', path)
    const [times, used]: [number[], number[]] = [[], []]
    for (let at = 0; at < 5; at++) {
      const before = await drawnMs()
      await page.goto(path.path)
      await page.getByText('matches the case').waitFor()
      times.push(Number(await page.evaluate('performance.now()')))
      used.push((await drawnMs()) - before)
    }
    test.diagnostic(
      `1 MiB drawn and digested ${median(times).toFixed()} ms, processor ${median(used).toFixed()} ms`,
    )
    assert.ok(median(used) <= 1_000, `${median(used)} ms of the processor`)
  })
})
