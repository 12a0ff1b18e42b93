import { reasonOf } from '../reason.ts'
import { httpUrl } from './http-url.ts'
import { type Asked, type Probe, ProbeError, readSighting, type Sighting } from './probe.ts'

/** What a probe outside of this process says that it can do besides reading. */
export type Ability = 'restart' | 'clock' | 'delay' | 'storeFailure'
const abilities: readonly Ability[] = ['restart', 'clock', 'delay', 'storeFailure']

const timeoutMs = 60_000

/**
 * A probe behind a URL. `GET ?ids=…&reviewCaseIds=…` answers a Sighting, which may add `can`, a list of abilities;
 * where GET is refused with 404 or 405, POST of `{"do": "read", "ids": […], "reviewCaseIds": […]}` is asked. The abilities are asked for by POST of `{"do": "restart"}`, `{"do": "clock", "now": ms | null}`, `{"do": "delay", "ms": ms}`
 * and `{"do": "storeFailure", "on": boolean}`, each answered 2xx when done. Rejects with a ProbeError, or with a
 * UsageError for what is no URL.
 */
export async function httpProbe(url: string): Promise<Probe> {
  const target = httpUrl('probe', url)
  let readsByPost = false
  const post = (body: object) =>
    call(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return remoteProbe({
    read: async (asked) => {
      if (readsByPost) return post({ do: 'read', ...asked })
      const address = new URL(target)
      if (asked.ids.length > 0) address.searchParams.set('ids', asked.ids.join(','))
      if (asked.reviewCaseIds.length > 0)
        address.searchParams.set('reviewCaseIds', asked.reviewCaseIds.join(','))
      try {
        return await call(address, {})
      } catch (error) {
        if (!(error instanceof ProbeError) || !/got 40[45] /.test(error.message)) throw error
        const seen = await post({ do: 'read', ...asked }).catch(() => null)
        if (seen === null) throw error
        readsByPost = true
        return seen
      }
    },
    do: async (action) => {
      await post(action)
    },
  })
}

export interface Remote {
  read(asked: Asked): Promise<unknown>
  do(action: Readonly<Record<string, unknown>>): Promise<void>
}

/** Asks once what the probe can do, then offers just that. */
export async function remoteProbe(remote: Remote): Promise<Probe> {
  const first = await remote.read({ ids: [], reviewCaseIds: [] })
  readSighting(first)
  const can = readAbilities(first)
  return {
    // Checked where reads are shared, which knows what the suite has sent.
    read: async (asked) => (await remote.read(asked)) as Sighting,
    ...(can.has('restart') && { restart: () => remote.do({ do: 'restart' }) }),
    ...(can.has('clock') && {
      setClock: (now: number | null) => remote.do({ do: 'clock', now }),
    }),
    ...(can.has('delay') && { setDelay: (ms: number) => remote.do({ do: 'delay', ms }) }),
    ...(can.has('storeFailure') && {
      setStoreFailure: (on: boolean) => remote.do({ do: 'storeFailure', on }),
    }),
  }
}

function readAbilities(answer: unknown): ReadonlySet<Ability> {
  const { can = [] } = answer as { can?: unknown }
  if (!Array.isArray(can) || !can.every((one) => abilities.includes(one)))
    throw new ProbeError(
      `the probe is broken: expected can as a list of ${abilities.join(', ')}, got ${JSON.stringify(can)}`,
    )
  return new Set(can as Ability[])
}

async function call(url: URL, init: RequestInit): Promise<unknown> {
  const what = `${init.method ?? 'GET'} ${url.origin}${url.pathname}`
  let response: Response
  let body: string
  try {
    response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) })
    body = await response.text()
  } catch (error) {
    throw new ProbeError(`the probe is broken: ${what} failed: ${reasonOf(error)}`, {
      cause: error,
    })
  }
  if (!response.ok)
    throw new ProbeError(
      `the probe is broken: ${what} expected 2xx, got ${response.status} ${body.slice(0, 200)}`,
    )
  if (init.method === 'POST' && body === '') return null
  try {
    return JSON.parse(body)
  } catch (error) {
    if (init.method === 'POST') return null
    throw new ProbeError(
      `the probe is broken: ${what} expected JSON, got ${JSON.stringify(body.slice(0, 100))}`,
      { cause: error },
    )
  }
}
