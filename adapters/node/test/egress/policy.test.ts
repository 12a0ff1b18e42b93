import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createEgressPolicy } from '../../egress/policy.ts'

const policy = createEgressPolicy()
const ipv4 = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))
const group = fc.nat(0xffff)
const ipv6 = fc.array(group, { minLength: 8, maxLength: 8 })
const text6 = (groups: readonly number[]) => groups.map((one) => one.toString(16)).join(':')

describe('addresses', () => {
  const refused: Readonly<Record<string, readonly string[]>> = {
    'this host and this network': ['0.0.0.0', '0.1.2.3', '::', '::1'],
    loopback: ['127.0.0.1', '127.255.255.255', '127.8.8.8'],
    'private networks': [
      '10.0.0.1',
      '10.255.255.255',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.0.1',
      '192.168.255.255',
      'fc00::1',
      'fd12:3456:789a::1',
      'fec0::1',
    ],
    'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
    'link-local': ['169.254.0.1', 'fe80::1', 'fe80::dead:beef'],
    'cloud metadata': [
      '169.254.169.254',
      '169.254.170.2',
      '168.63.129.16',
      '100.100.100.200',
      '192.0.0.192',
      'fd00:ec2::254',
      'fd20:ce::254',
    ],
    'protocol assignments': ['192.0.0.1', '192.0.0.8', '192.0.0.170', '2001:1::1', '2001:4:112::1'],
    documentation: [
      '192.0.2.1',
      '198.51.100.1',
      '203.0.113.1',
      '2001:db8::1',
      '3fff::1',
      '3fff:fff::1',
    ],
    benchmarks: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
    'AS112, AMT and 6to4 relays': [
      '192.31.196.1',
      '192.52.193.1',
      '192.175.48.1',
      '192.88.99.1',
      '2620:4f:8000::1',
    ],
    multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
    'class E and broadcast': ['240.0.0.1', '255.255.255.254', '255.255.255.255'],
    'Teredo, 6to4 and ORCHID': [
      '2001::1',
      '2001:0:7f00:1::',
      '2002:7f00:1::',
      '2002:a00:1::',
      '2001:20::1',
      '2001:10::1',
    ],
    'mapped, compatible and translated': [
      '::ffff:127.0.0.1',
      '::ffff:8.8.8.8',
      '::127.0.0.1',
      '::ffff:0:127.0.0.1',
      '64:ff9b::7f00:1',
      '64:ff9b::808:808',
      '64:ff9b:1::1',
    ],
    'discard, SRv6 and what is not given out': [
      '100::1',
      '5f00::1',
      '4000::1',
      '8000::1',
      'c000::1',
    ],
    'what is no address': ['', 'localhost', '127.0.0.1.', '::g', '1.2.3.4.5'],
  }
  for (const [what, addresses] of Object.entries(refused))
    it(`of ${what} are refused`, () => {
      for (const address of addresses)
        assert.notEqual(policy.refusalOf(address), null, `${address} passed`)
    })

  it('of the public internet pass', () => {
    for (const address of [
      '1.1.1.1',
      '8.8.8.8',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '128.0.0.1',
      '168.63.129.15',
      '169.253.255.255',
      '172.15.255.255',
      '172.32.0.0',
      '192.0.1.0',
      '198.17.255.255',
      '198.20.0.0',
      '223.255.255.255',
      '2001:200::1',
      '2001:4860:4860::8888',
      '2606:4700::1111',
      '2a00:1450::1',
      '3ffe::1',
    ])
      assert.equal(policy.refusalOf(address), null, `${address} was refused`)
  })

  it('of IPv6 pass only within 2000::/3', () => {
    fc.assert(
      fc.property(ipv6, (groups) => {
        const [first = 0] = groups
        if (policy.refusalOf(text6(groups)) === null) assert.equal(first >> 13, 1)
      }),
    )
  })

  it('get the same verdict in every IPv6 notation', () => {
    fc.assert(
      fc.property(ipv6, (groups) => {
        const long = groups.map((one) => one.toString(16).padStart(4, '0').toUpperCase()).join(':')
        assert.equal(policy.refusalOf(long), policy.refusalOf(text6(groups)))
      }),
    )
  })

  it('of IPv4 pass in no form that IPv6 can wrap them in', () => {
    fc.assert(
      fc.property(ipv4, ([a, b, c, d]) => {
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
        for (const wrapped of [`::ffff:${hex}`, `::${hex}`, `64:ff9b::${hex}`, `2002:${hex}::1`])
          assert.notEqual(policy.refusalOf(wrapped), null, wrapped)
      }),
    )
  })

  it('of this machine are refused even when they are public', () => {
    for (const { address } of Object.values(networkInterfaces()).flatMap((all) => all ?? []))
      assert.notEqual(policy.refusalOf(address.replace(/%.*/, '')), null)
  })
})

describe('allowed subnets', () => {
  const local = createEgressPolicy({ allowedSubnets: ['127.0.0.0/8', '::1/128'] })

  it('open what they name and nothing beside it', () => {
    for (const address of ['127.0.0.1', '127.9.9.9', '::1'])
      assert.equal(local.refusalOf(address), null)
    for (const address of ['10.0.0.1', '::2', '::ffff:127.0.0.1', '169.254.169.254'])
      assert.notEqual(local.refusalOf(address), null)
  })

  it('that are none are an error of the configuration', () => {
    for (const wrong of ['127.0.0.1', '10.0.0.0/33', 'localhost', '', '::1/129'])
      assert.throws(() => createEgressPolicy({ allowedSubnets: [wrong] }), /expected a block/)
  })
})

describe('URLs', () => {
  const hostOf = (url: string) => {
    const checked = policy.checkUrl(url)
    return checked.ok ? checked.value.hostname : null
  }

  it('lead to one host in each of its spellings', () => {
    for (const host of [
      '127.0.0.1',
      '127.1',
      '127.0.1',
      '2130706433',
      '0x7f000001',
      '0x7f.0.0.1',
      '0x7F.1',
      '017700000001',
      '0177.0.0.1',
      '0177.1',
      '127.0.0.1.',
      '127.000.000.001',
      '%31%32%37.0.0.1',
      '１２７.０.０.１',
      '127。0。0。1',
      '①②⑦.0.0.1',
    ])
      assert.equal(hostOf(`https://${host}/`), '127.0.0.1', host)
    for (const host of ['[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::0.0.0.1]'])
      assert.equal(hostOf(`https://${host}/`), '::1', host)
    for (const host of ['EXAMPLE.com', 'example.com.', 'ｅｘａｍｐｌｅ.com', 'ex%61mple.com'])
      assert.equal(hostOf(`https://${host}/`), 'example.com', host)
  })

  it('are told to be an address or a name', () => {
    for (const [url, literal] of [
      ['https://2130706433/', true],
      ['https://[::1]:8443/', true],
      ['https://example.com/', false],
      ['https://1.2.3.4.example/', false],
    ] as const) {
      const checked = policy.checkUrl(url)
      assert.ok(checked.ok)
      assert.equal(checked.value.literal, literal)
    }
  })

  it('keep path and query, and lose the fragment', () => {
    const checked = policy.checkUrl('https://example.com:8443/a%20b/?q=1#part')
    assert.ok(checked.ok)
    assert.deepEqual(checked.value, {
      origin: 'https://example.com:8443',
      hostname: 'example.com',
      port: 8443,
      path: '/a%20b/?q=1',
      literal: false,
    })
  })

  it('are refused when they are not what we send to', () => {
    for (const url of [
      'http://example.com/',
      'HTTP://example.com/',
      'ftp://example.com/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'data:text/plain,x',
      'example.com',
      '//example.com/',
      '',
      'https://',
      'https://user@example.com/',
      'https://user:pass@example.com/',
      'https://:pass@example.com/',
      'https://example.com@evil.example:443/',
      'https://[fe80::1%25eth0]/',
      'https://exa mple.com/',
      'https://1.2.3.4.5/',
      'https://256.1.1.1/',
      'https://example.com:99999/',
      `https://example.com/${'x'.repeat(2048)}`,
    ])
      assert.ok(!policy.checkUrl(url).ok, url)
  })

  it('name port 443 or one from 1024 that is not refused here', () => {
    const strict = createEgressPolicy({ refusedPorts: [5432, 443] })
    for (const port of [22, 25, 80, 444, 1023, 0, 6])
      assert.ok(!policy.checkUrl(`https://example.com:${port}/`).ok, String(port))
    for (const port of [443, 1024, 5432, 8443, 65535])
      assert.ok(policy.checkUrl(`https://example.com:${port}/`).ok, String(port))
    for (const port of [443, 5432])
      assert.ok(!strict.checkUrl(`https://example.com:${port}/`).ok, String(port))
  })

  it('of any text never throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.string().map((one) => `https://${one}`),
        ),
        (text) => {
          const checked = policy.checkUrl(text)
          if (checked.ok) assert.equal(new URL(text).protocol, 'https:')
        },
      ),
    )
  })
})
