import { ADDRCONFIG } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'

/** All addresses of a name, IPv4 first; rejects when it has none. */
export type ResolveName = (hostname: string) => Promise<readonly string[]>

/** Ms for the first query of each server; c-ares doubles it for the second. */
const firstTryMs = 2500
const tries = 2

/**
 * Queries the system's name servers directly (c-ares), so that slow or many look-ups take no thread of the pool that
 * hashes passwords. The hosts file is not read; `localhost` and names below it are loopback (RFC 6761).
 */
export function dnsResolver(
  options: {
    /** `address` or `address:port`; those of the system unless given. */
    readonly servers?: readonly string[]
  } = {},
): ResolveName {
  const resolver = new Resolver({ timeout: firstTryMs, tries })
  if (options.servers) resolver.setServers(options.servers)

  return async (hostname) => {
    if (/(^|\.)localhost$/i.test(hostname)) return ['127.0.0.1', '::1']
    const answers = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ])
    const addresses = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value : [],
    )
    if (addresses.length > 0) return addresses
    throw answers.find((answer) => answer.status === 'rejected')?.reason
  }
}

/** Resolves as other programs of this machine do, hosts file included; each call takes a thread of libuv's pool. */
export function systemResolver(): ResolveName {
  return async (hostname) => {
    const found = await lookup(hostname, { all: true, verbatim: true, hints: ADDRCONFIG })
    return found.sort((a, b) => a.family - b.family).map(({ address }) => address)
  }
}
