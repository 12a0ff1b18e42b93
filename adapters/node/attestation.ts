import { createHash, X509Certificate } from 'node:crypto'
import { AsnParser } from '@peculiar/asn1-schema'
import { BasicConstraints, type Extension } from '@peculiar/asn1-x509'
import { decodeAttestationObject, getCertificateInfo } from '@simplewebauthn/server/helpers'

/** Root certificates in PEM that vouch for models of authenticators, by AAGUID: a UUID in lower case. */
export type AttestationRoots = Readonly<Record<string, readonly string[]>>

/** Finds the root certificate to which the attestation of a registration leads. */
export interface Attestations {
  readonly models: ReadonlySet<string>
  /** SHA-256 in hex of that certificate; null where there is none. The statement's signature was verified before. */
  rootOf(statement: AttestationStatement, aaguid: string, now: number): string | null
}

/** Names the model that a certificate attests (FIDO Alliance, id-fido-gen-ce-aaguid). */
const aaguidExtension = '1.3.6.1.4.1.45724.1.1.4'
const basicConstraints = '2.5.29.19'
/** Those that may be critical: the path is checked by the first, and OpenSSL looks at the usage of an issuer's key. */
const knownExtensions = [basicConstraints, '2.5.29.15']
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const noModel = '00000000-0000-0000-0000-000000000000'

/**
 * Attestations by these roots. Throws for an AAGUID that is none, and for a text that is no certificate of an authority.
 *
 * The path is read by OpenSSL: `@simplewebauthn/server` would fetch lists of revoked certificates from addresses that
 * certificates name, past the guard of what this service may reach, and takes an issuer that is no authority. OpenSSL is
 * asked for one certificate and its issuer at a time, so that what is said of a whole path is checked here.
 */
export function attestationsBy(roots: AttestationRoots): Attestations {
  const byModel = new Map(
    Object.entries(roots).map(([aaguid, texts]) => [aaguid, rootsOf(aaguid, texts)] as const),
  )
  return {
    models: new Set(byModel.keys()),
    rootOf(statement, aaguid, now) {
      const known = byModel.get(aaguid)
      const chain = known && chainOf(statement)
      const root = chain && known.find((each) => leadsTo(chain, each, now))
      return root ? createHash('sha256').update(root.read.raw).digest('hex') : null
    },
  }
}

function rootsOf(aaguid: string, texts: readonly string[]): readonly Certificate[] {
  if (!uuid.test(aaguid) || aaguid === noModel)
    throw new TypeError(`expected the AAGUID of a model, a UUID in lower case, got ${aaguid}`)
  const certificates = texts.map((text) => readCertificate(new X509Certificate(text)))
  if (certificates.length === 0 || certificates.some(({ read }) => !read.ca))
    throw new TypeError(`expected certificates of authorities for ${aaguid}`)
  return certificates
}

/** What a registration says of its authenticator's maker. */
export interface AttestationStatement {
  readonly format: 'none' | 'packed'
  /** Certificates in DER, the authenticator's own first; none where it attests itself, or nothing. */
  readonly certificates: readonly Uint8Array<ArrayBuffer>[]
}

/**
 * Reads a statement before anything is made of it; null for bytes that are none, and for every other format: the library
 * takes the last certificate of some for its own root and asks the addresses that it names, and how they end up is
 * nobody's list here.
 */
export function readStatement(attestationObject: string): AttestationStatement | null {
  try {
    const decoded = decodeAttestationObject(
      new Uint8Array(Buffer.from(attestationObject, 'base64url')),
    )
    const format: unknown = decoded.get('fmt')
    const statement: unknown = decoded.get('attStmt')
    if (!(statement instanceof Map)) return null
    if (format === 'none') return { format, certificates: [] }
    if (format !== 'packed') return null
    if (!statement.has('x5c')) return { format, certificates: [] }
    const certificates: unknown = statement.get('x5c')
    return isCertificates(certificates) ? { format, certificates } : null
  } catch {
    return null
  }
}

/** More than any maker's path has. */
const mostCertificates = 8

function isCertificates(given: unknown): given is readonly Uint8Array<ArrayBuffer>[] {
  if (!Array.isArray(given) || given.length === 0 || given.length > mostCertificates) return false
  return given.every((each) => each instanceof Uint8Array && each.length > 0)
}

interface Certificate {
  readonly read: X509Certificate
  readonly extensions: readonly Extension[]
  /** Null where it has none. */
  readonly constraints: BasicConstraints | null
}

/** The certificates of a statement; null where there are none, and where the first is no authenticator's. */
function chainOf({ certificates }: AttestationStatement): readonly Certificate[] | null {
  try {
    const chain = certificates.map(certificateOf)
    const [own] = chain
    return own && isAuthenticators(own) ? chain : null
  } catch {
    // The library has read the first alone.
    return null
  }
}

/** Throws for bytes that are no certificate in DER, or more than one. */
function certificateOf(bytes: Uint8Array<ArrayBuffer>): Certificate {
  const read = new X509Certificate(bytes)
  if (!read.raw.equals(bytes)) throw new TypeError('expected the DER of one certificate')
  return readCertificate(read)
}

/** Throws for extensions that are none. */
function readCertificate(read: X509Certificate): Certificate {
  const info = getCertificateInfo(new Uint8Array(read.raw))
  const { extensions = [] } = info.parsedCertificate.tbsCertificate
  const found = extensions.find(({ extnID }) => extnID === basicConstraints)
  const constraints = found ? AsnParser.parse(found.extnValue.buffer, BasicConstraints) : null
  return { read, extensions, constraints }
}

/** Whether it is a certificate of an authenticator that names one model (WebAuthn 8.2.1); which, the library compared. */
function isAuthenticators({ extensions, constraints }: Certificate): boolean {
  // A root signs for several models. An OCTET STRING of 16 bytes is 18 long.
  const named = extensions.find(({ extnID }) => extnID === aaguidExtension)
  return named?.extnValue.buffer.byteLength === 18 && constraints?.cA === false
}

/** Whether no extension comes twice, and none is critical that the path is not checked by (RFC 5280, 4.2). */
function isSound({ extensions }: Certificate): boolean {
  const types = new Set(extensions.map(({ extnID }) => extnID))
  const isKnown = extensions.every(
    ({ extnID, critical }) => !critical || knownExtensions.includes(extnID),
  )
  return types.size === extensions.length && isKnown
}

function leadsTo(chain: readonly Certificate[], root: Certificate, now: number): boolean {
  const isRootSent = chain.at(-1)?.read.raw.equals(root.read.raw) ?? false
  const path = isRootSent ? chain : [...chain, root]
  return path.every((each, at) => {
    const issuer = path[at + 1]
    return isValidAt(each.read, now) && (!issuer || isIssuedBy(each, issuer, path.slice(1, at + 1)))
  })
}

/** `below`: authorities between the issuer and the authenticator's own certificate. */
function isIssuedBy(
  each: Certificate,
  issuer: Certificate,
  below: readonly Certificate[],
): boolean {
  const { read } = each
  const { ca, publicKey } = issuer.read
  const length = issuer.constraints?.pathLenConstraint ?? Number.POSITIVE_INFINITY
  // One with a new key of the same authority does not count (RFC 5280, 6.1.4).
  const counted = below.filter(({ read: { subject, issuer } }) => subject !== issuer).length
  const isAllowed = isSound(each) && ca && counted <= length
  return isAllowed && read.checkIssued(issuer.read) && read.verify(publicKey)
}

function isValidAt({ validFrom, validTo }: X509Certificate, now: number): boolean {
  return Date.parse(validFrom) <= now && now <= Date.parse(validTo)
}
