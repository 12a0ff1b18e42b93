import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'

/** How long a request and its answer may be held together, ms; nothing is held without it. */
const longestMs = Number(process.env.COUNTERSIGN_PORTAL_PACE ?? 0)
const seed = process.env.FC_SEED ?? ''

/** Numbers from 0 to 1: the same seed, test and request give the same one. */
function drawsOf(test: string): (request: string) => number {
  const times = new Map<string, number>()
  return (request) => {
    const time = times.get(request) ?? 0
    times.set(request, time + 1)
    const digest = createHash('sha256')
      .update(JSON.stringify([seed, test, request, time]))
      .digest()
    return digest.readUInt32BE() / 2 ** 32
  }
}

/**
 * Holds what a page asks of the API, its scripts, and the answers, each for a time drawn for the test: a page is then
 * seen in states that pass too fast on an idle machine. By the DevTools protocol, for routes of Playwright would be
 * passed over by those of a test. Does nothing unless `COUNTERSIGN_PORTAL_PACE` is set.
 */
export async function holdAnswers(page: Page, test: string): Promise<void> {
  if (!longestMs) return
  const draw = drawsOf(test)
  const session = await page.context().newCDPSession(page)
  session.on('Fetch.requestPaused', async ({ requestId, request, responseStatusCode }) => {
    const { pathname } = new URL(request.url)
    // Ids and the names of built files are others each time.
    const path = pathname.replaceAll(/[_-][\w-]{8,}/g, '')
    const stage = responseStatusCode === undefined ? 'request' : 'answer'
    await setTimeout((draw(`${stage} ${request.method} ${path}`) * longestMs) / 2)
    // The page may be closed by now, or not wait for it any more.
    await session.send('Fetch.continueRequest', { requestId }).catch(() => {})
  })
  await session.send('Fetch.enable', {
    patterns: ['*/v1/*', '*/assets/*.js'].flatMap((urlPattern) =>
      (['Request', 'Response'] as const).map((requestStage) => ({ urlPattern, requestStage })),
    ),
  })
}
