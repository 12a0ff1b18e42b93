import type { Context } from 'koa'
import { type HostResult, refuse } from './refusal.ts'

const safe = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Unsafe methods must come from our own pages or from no browser at all (CSRF). */
export function checkSameSite(ctx: Context): HostResult<null> {
  if (safe.has(ctx.method)) return { ok: true, value: null }
  const site = ctx.get('sec-fetch-site')
  if (site) {
    return site === 'same-origin' || site === 'none'
      ? { ok: true, value: null }
      : refuse('cross_site', `expected a request of our own pages, got Sec-Fetch-Site ${site}`)
  }
  const origin = ctx.get('origin')
  if (!origin) return { ok: true, value: null }
  // What a page of plain HTTP sends, anyone on the way could have written.
  const own = originOf(`${ctx.state.insecureCookies ? 'http' : 'https'}://${ctx.get('host')}`)
  if (own !== null && originOf(origin) === own) return { ok: true, value: null }
  return refuse(
    'cross_site',
    'expected an Origin that equals the scheme and the host of the portal',
  )
}

function originOf(url: string): string | null {
  try {
    return new URL(url).origin
  } catch {
    return null
  }
}
