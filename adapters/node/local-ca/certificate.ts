import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import { isIPv4 } from 'node:net'
import {
  bitString,
  explicit,
  implicit,
  integer,
  isTrue,
  objectIdentifier,
  octetString,
  sequence,
  set,
  time,
  utf8String,
} from './der.ts'

/** A private key and its certificate, both in PEM. */
export interface KeyAndCert {
  readonly key: string
  readonly cert: string
}

/** Validity, wall time in ms. */
export interface Validity {
  readonly from: number
  readonly until: number
}

/** A self-signed certificate authority, constrained to loopback names. */
export function makeAuthority(commonName: string, validity: Validity): KeyAndCert {
  const keys = newKeys()
  return certificate({
    subject: commonName,
    keys,
    issuer: { name: commonName, key: keys.privateKey },
    validity,
    extensions: [
      extension('2.5.29.19', sequence(isTrue, integer(Buffer.of(0))), 'critical'),
      // keyCertSign and cRLSign, bits 5 and 6.
      extension('2.5.29.15', bitString(Buffer.of(0b0000_0110), 1), 'critical'),
      extension('2.5.29.30', loopbackOnly(), 'critical'),
    ],
  })
}

/** A server's certificate for `names`, host names and IP addresses, signed by the authority. */
export function makeServerCert(
  names: readonly string[],
  issuer: { readonly name: string; readonly key: KeyObject },
  validity: Validity,
): KeyAndCert {
  return certificate({
    subject: names[0] ?? '',
    keys: newKeys(),
    issuer,
    validity,
    extensions: [
      extension('2.5.29.19', sequence(), 'critical'),
      // digitalSignature, bit 0: all that TLS 1.3 asks of the key.
      extension('2.5.29.15', bitString(Buffer.of(0b1000_0000), 7), 'critical'),
      // serverAuth
      extension('2.5.29.37', sequence(objectIdentifier('1.3.6.1.5.5.7.3.1'))),
      extension('2.5.29.17', sequence(...names.map(generalName))),
    ],
  })
}

/** Name constraints: `localhost` and below, 127.0.0.0/8 and ::1. */
export function isLoopbackName(name: string): boolean {
  return (
    /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*localhost$/.test(name) ||
    (isIPv4(name) && name.startsWith('127.')) ||
    name === '::1'
  )
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })

interface CertificateFields {
  readonly subject: string
  readonly keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject }
  readonly issuer: { readonly name: string; readonly key: KeyObject }
  readonly validity: Validity
  readonly extensions: readonly Uint8Array[]
}

/** RFC 5280, 4.1: a v3 certificate with the identifiers of both keys. */
function certificate({
  subject,
  keys,
  issuer,
  validity,
  extensions,
}: CertificateFields): KeyAndCert {
  const body = sequence(
    explicit(0, integer(Buffer.of(2))),
    integer(serialNumber()),
    ecdsaWithSha256,
    distinguishedName(issuer.name),
    sequence(time(validity.from), time(validity.until)),
    distinguishedName(subject),
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    explicit(
      3,
      sequence(
        ...extensions,
        extension('2.5.29.14', octetString(keyIdentifier(keys.publicKey))),
        extension('2.5.29.35', sequence(implicit(0, keyIdentifier(createPublicKey(issuer.key))))),
      ),
    ),
  )
  const der = sequence(body, ecdsaWithSha256, bitString(sign('sha256', body, issuer.key)))
  return {
    key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem('CERTIFICATE', der),
  }
}

const ecdsaWithSha256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'))

const distinguishedName = (commonName: string) =>
  sequence(set(sequence(objectIdentifier('2.5.4.3'), utf8String(commonName))))

const extension = (oid: string, value: Uint8Array, critical?: 'critical') =>
  sequence(objectIdentifier(oid), ...(critical ? [isTrue] : []), octetString(value))

/** Serial number: 126 random bits below a fixed one, so positive and of fixed length; 64 are required. */
function serialNumber(): Uint8Array {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes
}

/** RFC 7093, 2 (1): the first 160 bits of the SHA-256 of the key's own bits, the last 65 of a P-256 key's. */
const keyIdentifier = (publicKey: KeyObject) =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }).subarray(-65))
    .digest()
    .subarray(0, 20)

const generalName = (name: string) => {
  const address = addressOf(name)
  return address ? implicit(7, address) : implicit(2, Buffer.from(name))
}

const ipv6Loopback = Buffer.concat([Buffer.alloc(15), Buffer.of(1)])

function addressOf(name: string): Uint8Array | null {
  if (isIPv4(name)) return Buffer.from(name.split('.').map(Number))
  return name === '::1' ? ipv6Loopback : null
}

/** RFC 5280, 4.2.1.10: an address is followed by its mask. */
function loopbackOnly(): Uint8Array {
  const permitted = [
    implicit(2, Buffer.from('localhost')),
    implicit(7, Buffer.of(127, 0, 0, 0, 255, 0, 0, 0)),
    implicit(7, Buffer.concat([ipv6Loopback, Buffer.alloc(16, 0xff)])),
  ]
  return sequence(explicit(0, ...permitted.map((name) => sequence(name))))
}

function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
