import { createHash, KeyObject, sign, type webcrypto } from 'node:crypto'
import {
  createSoftwareAuthenticator,
  type PackedStatement,
} from '@countersign/conformance/authenticator'
// Before @peculiar/x509, which wants reflect-metadata loaded: @simplewebauthn/server brings it.
import { authenticators } from '@countersign/node'
import {
  BasicConstraintsExtension,
  Extension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

export { Extension, KeyUsageFlags, KeyUsagesExtension } from '@peculiar/x509'

export const model = '2fc0579f-8113-47ea-b116-bb5a8db9202a'
export const place = { rpId: 'portal.example', origin: 'https://portal.example' }
export const challenge: string = createHash('sha256').update('a challenge').digest('base64url')
/** What a registration is held against. */
export const expected = {
  ...{ challenge, rpId: place.rpId, origins: [place.origin] },
  now: Date.UTC(2026, 10, 21),
}

/** What the port says of a registration of the model, or of another one, by these roots of the model. */
export function registered(
  roots: readonly Certified[],
  attest: ((signed: Uint8Array) => PackedStatement) | undefined,
  { aaguid = model, now = expected.now }: { readonly aaguid?: string; readonly now?: number } = {},
) {
  const port = authenticators({ attestationRoots: { [model]: roots.map(pemOf) } })
  const authenticator = createSoftwareAuthenticator({ algorithm: 'ES256', ...place })
  const asked = { challenge, aaguid, ...(attest && { attest }) }
  const { id, response } = authenticator.register(asked)
  return port.verifyRegistration({ credential: { id, response }, ...expected, now })
}

const keys = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const usual = { notBefore: new Date('2020-01-01'), notAfter: new Date('2050-01-01') }
const namesModel = '1.3.6.1.4.1.45724.1.1.4'
let serial = 0

/** A certificate, and the key that it is about. */
export interface Certified {
  readonly certificate: X509Certificate
  readonly pair: webcrypto.CryptoKeyPair
}

/** What a certificate departs from the usual in. */
export interface Certificate {
  readonly by?: Certified
  readonly ca?: boolean
  readonly notBefore?: Date
  readonly notAfter?: Date
  /** The model that it names; null: none. */
  readonly aaguid?: string | null
  /** How many authorities may be between it and an authenticator's own; absent: any number. */
  readonly pathLength?: number | undefined
  /** Says nothing of whether it is an authority. */
  readonly unconstrained?: boolean
  /** Who issued it by name; absent: who signed it. */
  readonly issuer?: string
  /** Besides the usual ones. */
  readonly extensions?: readonly Extension[]
  readonly unit?: string
}

/** Issues a certificate; by itself unless another one issues it. */
export async function certify(name: string, given: Certificate = {}): Promise<Certified> {
  const { by, ca = false, aaguid = null, unit = 'Authenticator Attestation' } = given
  const { notBefore = usual.notBefore, notAfter = usual.notAfter } = given
  const { pathLength, unconstrained = false, extensions = [] } = given
  const pair = await crypto.subtle.generateKey(keys, true, ['sign', 'verify'])
  const subject = `C=SE, O=Keys of the tests, OU=${ca ? 'Authority' : unit}, CN=${name}`
  const certificate = await X509CertificateGenerator.create({
    serialNumber: String(++serial).padStart(4, '0'),
    ...{ subject, notBefore, notAfter, publicKey: pair.publicKey },
    issuer: given.issuer ?? by?.certificate.subject ?? subject,
    signingKey: by?.pair.privateKey ?? pair.privateKey,
    signingAlgorithm: keys,
    extensions: [
      ...(unconstrained ? [] : [new BasicConstraintsExtension(ca, pathLength, true)]),
      ...(aaguid === null ? [] : [modelExtension(aaguid)]),
      ...extensions,
    ],
  })
  return { certificate, pair }
}

/** The extension that names a model: an OCTET STRING of the AAGUID's bytes. `more`: bytes after it. */
export function modelExtension(
  aaguid: string,
  { critical = false, more = [] }: { critical?: boolean; more?: readonly number[] } = {},
): Extension {
  const bytes = [4, 16, ...Buffer.from(aaguid.replaceAll('-', ''), 'hex'), ...more]
  return new Extension(namesModel, critical, Uint8Array.from(bytes))
}

/** The attestation by a certificate's key, with the certificates above it. */
export function attestationOf(leaf: Certified, above: readonly Certified[] = []) {
  const key = KeyObject.from(leaf.pair.privateKey)
  return (signed: Uint8Array): PackedStatement => ({
    alg: -7,
    sig: sign('sha256', signed, key),
    x5c: [leaf, ...above].map(({ certificate }) => new Uint8Array(certificate.rawData)),
  })
}

export const pemOf = ({ certificate }: Certified): string => certificate.toString('pem')

/** SHA-256 of a certificate in DER. */
export const fingerprintOf = ({ certificate }: Certified): string =>
  createHash('sha256').update(new Uint8Array(certificate.rawData)).digest('hex')
