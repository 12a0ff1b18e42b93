import type { IncomingMessage } from 'node:http'
import { isIP, isIPv4 } from 'node:net'

/**
 * The caller's address: the connection's, or with trusted proxies the entry of `X-Forwarded-For` that the outermost of
 * them wrote. An entry that is no address is not believed, and the connection's counts.
 */
export function callerAddress(request: IncomingMessage, trustedProxies: number): string {
  const heard = request.socket.remoteAddress ?? ''
  if (trustedProxies === 0) return heard
  const entries = [request.headers['x-forwarded-for'] ?? ''].flat().join(',').split(',')
  return parseEntry(entries.at(-trustedProxies) ?? entries[0] ?? '') ?? heard
}

/** An address without the port and the brackets that some proxies add: with them, each connection would be a caller. */
function parseEntry(entry: string): string | null {
  const text = entry.trim()
  if (isIP(text) !== 0) return text
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? []
  if (plain !== undefined) return isIPv4(plain) ? plain : null
  return bracketed !== undefined && isIP(bracketed) === 6 ? bracketed : null
}
