/**
 * IPv4 blocks that are not the public internet: the IANA special-purpose registry (RFC 6890 and later), multicast,
 * class E, and cloud metadata addresses.
 */
export const refusedIpv4: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Azure's wire server, the one such address that lies outside the blocks above.
  '168.63.129.16/32',
]

/** IPv6 space allocated for global unicast; mapped, translated, local and multicast addresses lie outside. */
export const allowedIpv6 = '2000::/3'

/** Special blocks within it: protocol assignments with Teredo, benchmarking and ORCHID; documentation; 6to4; AS112. */
export const refusedIpv6: readonly string[] = [
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
]
