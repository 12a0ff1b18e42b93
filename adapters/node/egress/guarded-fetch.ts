import type { Dispatcher } from 'undici'
import { checkHost } from './check-host.ts'
import { openConnection } from './connection.ts'
import type { EgressOptions } from './guard.ts'
import { createEgressPolicy } from './policy.ts'
import { dnsResolver } from './resolve-name.ts'
import { trust } from './trust.ts'

/** Options of `guardedFetch`. */
export interface GuardedFetchOptions extends EgressOptions {
  /** PEM of an authority to trust beside Node's. */
  readonly ca?: string | Uint8Array
}

/** What is asked; a body is sent whole. */
export interface GuardedRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

/** The address may not be reached, or gave no answer that can be read. */
export class UnreachableError extends Error {}

/** Most bytes of an answer. */
const mostBytes = 256 * 1024
/** Ms for one request. */
const deadlineMs = 10_000

/**
 * Makes requests as deliveries are made: over https, to public addresses alone, dialled as they were checked. Rejects for
 * any other URL, for an answer of over 256 KiB and after 10 s, with an
 * `UnreachableError`; redirects are answers. A connection lives for one request.
 */
export function guardedFetch(
  options: GuardedFetchOptions = {},
): (url: string, request: GuardedRequest) => Promise<Response> {
  const policy = createEgressPolicy(options)
  const resolve = options.resolve ?? dnsResolver()
  const secureContext = trust(options.ca)
  return async (url, request) => {
    const target = policy.checkUrl(url)
    if (!target.ok) throw new UnreachableError(target.detail)
    const host = await checkHost(target.value, policy, resolve)
    if (!host.ok) throw new UnreachableError(host.detail)
    const { addresses } = host
    const dialling = { target: target.value, secureContext, session: { current: undefined } }
    const connection = openConnection({ ...dialling, addresses: () => addresses }, 0, 0)
    const { method, body = null } = request
    const headers = { ...request.headers, 'accept-encoding': 'identity' }
    const asked = {
      path: target.value.path,
      method: method as Dispatcher.HttpMethod,
      headers,
      body,
    }
    let deadline: NodeJS.Timeout | undefined
    try {
      return await new Promise<Response>((done, fail) => {
        const late = () => fail(new UnreachableError(`no answer within ${deadlineMs} ms`))
        deadline = setTimeout(late, deadlineMs)
        connection.dispatch(asked, collect(done, fail))
      })
    } finally {
      clearTimeout(deadline)
      connection.destroy()
    }
  }
}

function collect(
  done: (response: Response) => void,
  fail: (error: Error) => void,
): Dispatcher.DispatchHandler {
  const chunks: Uint8Array[] = []
  let kept = 0
  let answered: { readonly status: number; readonly headers: Answered } | null = null
  return {
    onRequestStart() {},
    onResponseStart(_controller, status, headers) {
      if (status >= 200) answered = { status, headers }
    },
    onResponseData(controller, chunk) {
      kept += chunk.length
      if (kept > mostBytes)
        controller.abort(new UnreachableError(`an answer of over ${mostBytes} bytes`))
      else chunks.push(chunk)
    },
    onResponseEnd() {
      try {
        const { status = 0, headers = {} } = answered ?? {}
        done(new Response(Buffer.concat(chunks), { status, headers: headersOf(headers) }))
      } catch {
        // A status without a body, or none that there is.
        fail(new UnreachableError(`an answer with status ${answered?.status ?? 'none'}`))
      }
    },
    onResponseError(_controller, error) {
      const { message } = error
      fail(error instanceof UnreachableError ? error : new UnreachableError(message))
    },
  }
}

type Answered = Readonly<Record<string, string | string[] | undefined>>

function headersOf(given: Answered): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given))
    for (const each of [value ?? []].flat()) headers.append(name, each)
  return headers
}
