/**
 * The throttle's key of an address: an IPv4 address, also when written as IPv6, or the /64 of an IPv6 one. A /64 is
 * what one subscriber controls.
 */
export function addressKey(address: string): string {
  const text = address.toLowerCase().replace(/%.*$/, '')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(text)
  if (mapped) return mapped[1] ?? text
  if (!text.includes(':')) return text
  const [before = '', after] = text.split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  const gap = after === undefined ? 0 : Math.max(0, 8 - head.length - tail.length)
  const groups = [...head, ...Array<string>(gap).fill('0'), ...tail].slice(0, 4)
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`
}

/** The address as the throttle has it, and the blocks around it: /24 and /16 of IPv4, /48 and /32 of IPv6. */
export function addressBlocks(address: string): readonly string[] {
  const key = addressKey(address)
  const isIpv6 = key.endsWith('::/64')
  const parts = (isIpv6 ? key.slice(0, -'::/64'.length) : key).split(isIpv6 ? ':' : '.')
  const block = (length: number) => `block ${parts.slice(0, length).join(isIpv6 ? ':' : '.')}`
  return [key, block(3), block(2)]
}
