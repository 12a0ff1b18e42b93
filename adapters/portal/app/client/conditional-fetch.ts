/** An answer that is asked for again only if it changed. */
interface Known {
  readonly etag: string
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer>
}

/** So many answers are kept, those that were used last; each page polls few. */
const mostKnown = 40

/** An answer that was asked for before it is needed. */
export interface Ahead {
  readonly answer: Response
  /**
   * Its bytes, if they were read: what they bring is drawn in the task that takes them, and so by the first paint,
   * while a browser reads the body of a `Response` in tasks of its own. Null: the body is unread.
   */
  readonly body: Uint8Array<ArrayBuffer> | null
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>

/**
 * A fetch that asks for what it knows with `If-None-Match` and answers what it knows for a 304. The browser's own cache
 * does not, for the API forbids to store answers; these are kept in memory alone. `ahead`: an answer that was asked
 * for before.
 */
export function conditionalFetch(
  fetch: Fetch,
  ahead: (url: string) => Promise<Ahead | null>,
): Fetch {
  const known = new Map<string, Known>()

  function keep(url: string, answer: Known): void {
    known.delete(url)
    known.set(url, answer)
    const [oldest] = known.keys()
    if (known.size > mostKnown && oldest !== undefined) known.delete(oldest)
  }

  return async (url, init) => {
    if ((init.method ?? 'GET') !== 'GET') return fetch(url, init)
    const before = known.get(url)
    const headers = new Headers(init.headers)
    if (before) {
      headers.set('If-None-Match', before.etag)
      // Browsers say no-cache otherwise, for which the whole answer comes.
      headers.set('Cache-Control', 'max-age=0')
    }
    const early = before ? null : await ahead(url)
    const answer = early?.answer ?? (await fetch(url, { ...init, headers }))
    if (before && answer.status === 304) {
      keep(url, before)
      return new Response(before.body, before)
    }
    const etag = answer.headers.get('ETag')
    if (answer.status !== 200 || etag === null)
      return early?.body ? new Response(early.body, answer) : answer
    const body = early?.body ?? new Uint8Array(await answer.arrayBuffer())
    keep(url, { etag, status: answer.status, headers: answer.headers, body })
    return new Response(body, answer)
  }
}
