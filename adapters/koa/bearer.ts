import type { Context } from 'koa'

/** The token of `Authorization: Bearer` (RFC 6750), or null. */
export function bearerOf(ctx: Context): string | null {
  return /^Bearer +(\S+)$/i.exec(ctx.get('authorization'))?.[1] ?? null
}
