import { ADDRCONFIG } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'

/** All addresses of a name, IPv4 first; rejects when it has none. */
export type ResolveName = (hostname: string) => Promise<readonly string[]>

/** Ms of the first try of each server; c-ares doubles it for the second. */
const firstTryMs = 2500
const tries = 2

/**
 * Asks the name servers of the system directly (c-ares): neither a slow name server of one tenant nor a flood
 * of names takes a thread from those who hash and sign. The hosts file is not read; `localhost` and the names
 * below it are loopback by RFC 6761.
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

/** Asks as other programs of this machine do, hosts file included; each call takes one of libuv's threads. */
export function systemResolver(): ResolveName {
  return async (hostname) => {
    const found = await lookup(hostname, { all: true, verbatim: true, hints: ADDRCONFIG })
    return found.sort((a, b) => a.family - b.family).map(({ address }) => address)
  }
}
