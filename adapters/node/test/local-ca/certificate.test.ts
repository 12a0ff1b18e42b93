import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { makeAuthority, makeServerCert } from '../../local-ca/certificate.ts'
import { integer, objectIdentifier, tagged, time } from '../../local-ca/der.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

test('lengths take one octet to 127, then as many as they need', () => {
  for (const [length, octets] of [
    [0, '00'],
    [127, '7f'],
    [128, '8180'],
    [255, '81ff'],
    [256, '820100'],
    [65_536, '83010000'],
  ] as const)
    assert.equal(hex(tagged(0x04, Buffer.alloc(length))), `04${octets}${'00'.repeat(length)}`)
})

test('integers are minimal and never negative', () => {
  for (const [given, written] of [
    ['', '020100'],
    ['00', '020100'],
    ['7f', '02017f'],
    ['80', '02020080'],
    ['0000ff', '020200ff'],
    ['0100', '02020100'],
  ] as const)
    assert.equal(hex(integer(Buffer.from(given, 'hex'))), written)
})

test('object identifiers are written as in X.690, 8.19.5', () => {
  assert.equal(hex(objectIdentifier('2.100.3')), '0603813403')
  assert.equal(hex(objectIdentifier('1.2.840.10045.4.3.2')), '06082a8648ce3d040302')
})

test('a time is of two digits through 2049 and of four from 2050', () => {
  assert.equal(
    Buffer.from(time(Date.UTC(2049, 11, 31, 23, 59, 59, 999))).toString(),
    '\x17\r491231235959Z',
  )
  assert.equal(Buffer.from(time(Date.UTC(2050, 0, 1))).toString(), '\x18\x0f20500101000000Z')
})

const label = fc.stringMatching(/^[a-z]{1,60}$/)
const name = fc.oneof(
  fc.constantFrom('localhost', '::1'),
  label.map((first) => `${first}.localhost`),
  fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map((rest) => `127.${rest.join('.')}`),
)
const second = fc.integer({ min: 0, max: Date.UTC(2100, 0) / 1000 }).map((at) => at * 1000)

test('OpenSSL reads back what was written', () => {
  const authority = makeAuthority('An authority', { from: 0, until: Date.UTC(2100, 0) })
  const issuer = { name: 'An authority', key: createPrivateKey(authority.key) }
  const above = new X509Certificate(authority.cert)
  assert.ok(above.ca)
  fc.assert(
    fc.property(
      fc.array(name, { minLength: 1, maxLength: 12 }),
      second,
      second,
      (names, from, until) => {
        const { key, cert } = makeServerCert(names, issuer, { from, until })
        const x509 = new X509Certificate(cert)
        assert.ok(x509.checkPrivateKey(createPrivateKey(key)))
        assert.ok(x509.verify(above.publicKey) && x509.checkIssued(above) && !x509.ca)
        assert.deepEqual([Date.parse(x509.validFrom), Date.parse(x509.validTo)], [from, until])
        assert.match(x509.serialNumber, /^[4-7][0-9A-F]{31}$/)
        assert.equal(
          x509.subjectAltName,
          names
            .map((each) =>
              /^[\d:]/.test(each)
                ? `IP Address:${each.replace('::1', '0:0:0:0:0:0:0:1')}`
                : `DNS:${each}`,
            )
            .join(', '),
        )
      },
    ),
    { numRuns: 50 },
  )
})
