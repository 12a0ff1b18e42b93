import { type Result, refuse } from '@countersign/core/ledger'
import type { Context } from 'koa'

const safe = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Unsafe methods must come from our own pages or from no browser at all (CSRF). */
export function checkSameSite(ctx: Context): Result<null> {
  if (safe.has(ctx.method)) return { ok: true, value: null }
  const site = ctx.get('sec-fetch-site')
  if (site) {
    return site === 'same-origin' || site === 'none'
      ? { ok: true, value: null }
      : refuse('cross_site', `expected a request of our own pages, got Sec-Fetch-Site ${site}`)
  }
  const origin = ctx.get('origin')
  if (!origin || hostOf(origin) === ctx.get('host')) return { ok: true, value: null }
  return refuse('cross_site', 'expected an Origin that equals the host')
}

function hostOf(origin: string): string | null {
  try {
    return new URL(origin).host
  } catch {
    return null
  }
}
