import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { allowedIpv6, refusedIpv4, refusedIpv6 } from './blocks.ts'

export interface EgressPolicyOptions {
  /** CIDR blocks that are allowed although not public, such as `127.0.0.0/8` for local work. */
  readonly allowedSubnets?: readonly string[]
  /** Ports from 1024 on that are refused. */
  readonly refusedPorts?: readonly number[]
}

/** The target that a URL names. */
export interface Target {
  /** `https://host:port`. */
  readonly origin: string
  /** As dialled and sent in SNI: no brackets, no trailing dot. */
  readonly hostname: string
  readonly port: number
  /** Path and query. */
  readonly path: string
  /** The host is a literal address. */
  readonly literal: boolean
}

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly detail: string }

export interface EgressPolicy {
  checkUrl(url: string): Checked<Target>
  /** Null when the address may be dialled, else the reason, without the address. */
  refusalOf(address: string): string | null
}

type Block = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/** The longest URL that is taken. */
const longestUrl = 2048

/** Egress rules (README, Where deliveries may go). Throws for a subnet that is not a CIDR block. */
export function createEgressPolicy(options: EgressPolicyOptions = {}): EgressPolicy {
  const allowed = (options.allowedSubnets ?? []).map(parseBlock)
  const refused = [...refusedIpv4, ...refusedIpv6].map(parseBlock)
  const publicIpv6 = parseBlock(allowedIpv6)
  const refusedPorts = new Set(options.refusedPorts)
  const own = ownAddresses()

  return {
    refusalOf(text) {
      if (!ipaddr.isValid(text)) return 'is no IP address'
      const address = ipaddr.parse(text)
      if (allowed.some((block) => within(address, block))) return null
      if (address.kind() === 'ipv6' && !within(address, publicIpv6)) return 'is not public'
      if (refused.some((block) => within(address, block))) return 'is not public'
      if (own.has(address.toNormalizedString())) return 'is this machine itself'
      return null
    },

    checkUrl(text) {
      const url = parseUrl(text)
      if (!url) return refuse(`expected an https URL of at most ${longestUrl} characters`)
      if (url.protocol !== 'https:') return refuse(`expected https, got ${url.protocol}`)
      if (url.username !== '' || url.password !== '')
        return refuse('expected a URL without user name and password')
      const port = url.port === '' ? 443 : Number(url.port)
      if ((port !== 443 && port < 1024) || refusedPorts.has(port))
        return refuse(`expected port 443 or one from 1024 that is not refused here, got ${port}`)
      const hostname = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
      if (hostname === '') return refuse('expected a host name or an address')
      return {
        ok: true,
        value: {
          origin: url.origin,
          hostname,
          port,
          path: url.pathname + url.search,
          // The URL parser has normalized every IPv4 spelling to dotted decimal.
          literal: ipaddr.isValid(hostname),
        },
      }
    },
  }
}

function parseUrl(text: string): URL | null {
  if (text.length > longestUrl) return null
  try {
    return new URL(text)
  } catch {
    return null
  }
}

function refuse(detail: string): { readonly ok: false; readonly detail: string } {
  return { ok: false, detail }
}

function parseBlock(text: string): Block {
  try {
    return ipaddr.parseCIDR(text)
  } catch {
    throw new TypeError(
      `expected a block such as 127.0.0.0/8 or ::1/128, got ${JSON.stringify(text)}`,
    )
  }
}

function within(address: ipaddr.IPv4 | ipaddr.IPv6, [start, bits]: Block): boolean {
  return address.kind() === start.kind() && address.match(start, bits)
}

/** Public addresses of this machine, where internal services may listen. */
function ownAddresses(): ReadonlySet<string> {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  return new Set(
    addresses.map(({ address }) => ipaddr.parse(address.replace(/%.*$/, '')).toNormalizedString()),
  )
}
