import type { Page } from 'playwright-core'

/** How the console tells an answer of the API that was no success; such answers are part of the tests. */
const statusLine = /^Failed to load resource: the server responded with a status of (\d+)/

/** What a page does that no page may do. */
export interface Watch {
  /** What was noted since it was taken last. */
  take(): readonly string[]
  /** Leaves out what the console tells from now on, such as of a network that is gone. */
  tolerate(text: RegExp): void
}

/** Notes errors of the console, violations of the policy among them, exceptions, and requests that leave the origin. */
export function watchPage(page: Page, origin: string): Watch {
  const faults: string[] = []
  const tolerated: RegExp[] = []
  const note = (what: string) => void faults.push(`${page.url()}: ${what}`)
  page.on('console', (message) => {
    const text = message.text()
    const [, status] = statusLine.exec(text) ?? []
    if (message.type() !== 'error' || status?.startsWith('4')) return
    if (!tolerated.some((known) => known.test(text))) note(text)
  })
  page.on('pageerror', (error) => note(error.stack ?? String(error)))
  page.on('crash', () => note('the page crashed'))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !url.startsWith('blob:')) note(`asked for ${url}`)
  })
  return { take: () => faults.splice(0), tolerate: (text) => void tolerated.push(text) }
}
