import { createHash, X509Certificate } from 'node:crypto'
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
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const noModel = '00000000-0000-0000-0000-000000000000'

/**
 * Attestations by these roots. Throws for an AAGUID that is none, and for a text that is no certificate of an authority.
 *
 * The path is read by OpenSSL: `@simplewebauthn/server` would fetch lists of revoked certificates from addresses that
 * certificates name, past the guard of what this service may reach, and takes an issuer that is no authority.
 */
export function attestationsBy(roots: AttestationRoots): Attestations {
  const byModel = new Map(
    Object.entries(roots).map(([aaguid, texts]) => [aaguid, rootsOf(aaguid, texts)] as const),
  )
  return {
    models: new Set(byModel.keys()),
    rootOf(statement, aaguid, now) {
      const known = byModel.get(aaguid)
      const chain = known && certificatesOf(statement)
      const root = chain && known.find((each) => leadsTo(chain, each, now))
      return root ? createHash('sha256').update(root.raw).digest('hex') : null
    },
  }
}

function rootsOf(aaguid: string, texts: readonly string[]): readonly X509Certificate[] {
  if (!uuid.test(aaguid) || aaguid === noModel)
    throw new TypeError(`expected the AAGUID of a model, a UUID in lower case, got ${aaguid}`)
  const certificates = texts.map((text) => new X509Certificate(text))
  if (certificates.length === 0 || certificates.some(({ ca }) => !ca))
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

/** The certificates of a statement; null where it has none, and where the authenticator's own names no model. */
function certificatesOf({ certificates }: AttestationStatement): readonly X509Certificate[] | null {
  const [own] = certificates
  if (own === undefined) return null
  try {
    const { extensions = [] } = getCertificateInfo(own).parsedCertificate.tbsCertificate
    // Which model it names was compared with the authenticator data. A root signs for several.
    if (!extensions.some(({ extnID }) => extnID === aaguidExtension)) return null
    return certificates.map((bytes) => new X509Certificate(bytes))
  } catch {
    // Nobody has read those above yet.
    return null
  }
}

function leadsTo(chain: readonly X509Certificate[], root: X509Certificate, now: number): boolean {
  const isRootSent = chain.at(-1)?.raw.equals(root.raw) ?? false
  const path = isRootSent ? chain : [...chain, root]
  return path.every((each, at) => {
    const issuer = path[at + 1]
    const isIssued =
      !issuer || (issuer.ca && each.checkIssued(issuer) && each.verify(issuer.publicKey))
    return isIssued && isValidAt(each, now)
  })
}

function isValidAt({ validFrom, validTo }: X509Certificate, now: number): boolean {
  return Date.parse(validFrom) <= now && now <= Date.parse(validTo)
}
