import { isSandbox, to } from '../paths.ts'
import type { Ahead } from './conditional-fetch.ts'

/** An answer that takes longer, or that nobody took by then, is asked for once more by who needs it. */
const patienceMs = 10_000

const asked = new Map<string, Promise<Ahead | null>>()

/**
 * Asks for what a page reads first, before it is drawn or known who looks: one after the other, a slow device would
 * wait for each. Every answer is given once, by `takeAhead`.
 */
export function askAhead({
  origin,
  pathname,
  search,
}: {
  readonly origin: string
  readonly pathname: string
  readonly search: string
}): void {
  for (const path of readsOf(pathname, search))
    asked.set(
      origin + path,
      fetch(origin + path, {
        redirect: 'manual',
        headers: { accept: 'application/json', ...(isSandbox && { 'x-service-sandbox': 'true' }) },
        signal: AbortSignal.timeout(patienceMs),
      })
        .then(async (answer) => {
          // Nobody is logged in, for one: then the others say nothing to who reads them later.
          if (!answer.ok) asked.clear()
          return {
            answer,
            body: answer.status === 200 ? new Uint8Array(await answer.arrayBuffer()) : null,
          }
        })
        .catch(() => null),
    )
  setTimeout(() => asked.clear(), patienceMs)
}

/** The answer that was asked for ahead; null where none was, or it did not come: then it is asked for as always. */
export async function takeAhead(url: string): Promise<Ahead | null> {
  const answer = asked.get(url)
  asked.delete(url)
  return answer ?? null
}

/** So long a page waits at most for what it could be drawn with at once; a frame more can not be told from it. */
const waitsAtMostMs = 50

/** Waits, for a moment at most, until all that was asked for ahead is there: a slow device then draws one frame, not two. */
export async function allAhead(): Promise<void> {
  await Promise.race([
    Promise.all(asked.values()),
    new Promise((resolve) => setTimeout(resolve, waitsAtMostMs)),
  ])
}

/** What the pages of reviewers read first, as `useRead` asks for it; of other pages, who is logged in. */
export function readsOf(pathname: string, search: string): readonly string[] {
  const session = '/v1/auth/session'
  const summary = '/v1/portal/summary'
  if (pathname === to('/queue') && search === '')
    return [session, '/v1/portal/review-queue?state=open&page=1&pageSize=50', summary]
  const [, reviewCaseId] = /\/cases\/([\w-]+)$/.exec(pathname) ?? []
  if (reviewCaseId && pathname === to(`/cases/${reviewCaseId}`))
    return [session, `/v1/review-cases/${reviewCaseId}`, summary]
  return [session]
}
