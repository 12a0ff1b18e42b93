import { createHash, X509Certificate } from 'node:crypto'
import type { ShownStamp } from '@countersign/core/evidence'
import { Certificate, ContentInfo, SignedData, type SignerInfo, TimeStampResp } from 'pkijs'
import type { StampVerifier } from './stamps.ts'

const contentType = '1.2.840.113549.1.9.3'
const stampInfo = '1.2.840.113549.1.9.16.1.4'
const extendedKeyUsage = '2.5.29.37'
const timeStamping = '1.3.6.1.5.5.7.3.8'
/** Attributes that name the signer's certificate by its hash: with SHA-1, and with a hash that is named (RFC 5816). */
const [signingCertificate, signingCertificateV2] = [
  '1.2.840.113549.1.9.16.2.12',
  '1.2.840.113549.1.9.16.2.47',
]
/** Hash algorithms by their object identifiers. */
const hashes: ReadonlyMap<string, string> = new Map([
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
])

/**
 * Checks stamps by the certificates of authorities, or of those that certified them, in PEM. A stamp is theirs where its
 * signature verifies over the entry, its certificate is for time stamps alone, and its path led to one of them at the
 * time of the stamp (RFC 3161 2.3, RFC 5652 5.6). Throws for a text without certificates.
 */
export function trustAuthorities(texts: readonly string[]): StampVerifier {
  const trustedCerts = texts.flatMap(certificatesIn)
  return async (stamp) => {
    try {
      return await authorOf(stamp, trustedCerts)
    } catch {
      return null
    }
  }
}

function certificatesIn(text: string): Certificate[] {
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)
  if (!found) throw new Error('expected certificates in PEM')
  return found.map((pem) => Certificate.fromBER(Uint8Array.from(new X509Certificate(pem).raw)))
}

async function authorOf(
  { answer, entry }: ShownStamp,
  trustedCerts: Certificate[],
): Promise<string | null> {
  const { timeStampToken } = TimeStampResp.fromBER(Uint8Array.from(answer))
  if (timeStampToken?.contentType !== ContentInfo.SIGNED_DATA) return null
  const signed = new SignedData({ schema: timeStampToken.content })
  const [signer, second] = signed.signerInfos
  if (!signer || second || signed.encapContentInfo.eContentType !== stampInfo) return null
  const { signatureVerified, signerCertificate } = await signed.verify({
    signer: 0,
    data: Uint8Array.from(entry).buffer,
    trustedCerts,
    checkChain: true,
    extendedMode: true,
  })
  if (signatureVerified !== true || !signerCertificate) return null
  const certificate = Buffer.from(signerCertificate.toSchema().toBER())
  const holds =
    isForStamps(signerCertificate) && isSignedAsStamp(signer) && names(signer, certificate)
  return holds ? nameOf(certificate) : null
}

/** Whether a certificate is for time stamps, and must not be taken for anything else. */
function isForStamps({ extensions = [] }: Certificate): boolean {
  const usage = extensions.find(({ extnID }) => extnID === extendedKeyUsage)
  const purposes = (usage?.parsedValue as { keyPurposes?: readonly string[] } | undefined)
    ?.keyPurposes
  return usage?.critical === true && purposes?.length === 1 && purposes[0] === timeStamping
}

/** Whether the signed attributes say that what is signed is a stamp. */
function isSignedAsStamp({ signedAttrs }: SignerInfo): boolean {
  const types = signedAttrs?.attributes.filter(({ type }) => type === contentType) ?? []
  return types.length === 1 && types[0]?.values[0]?.valueBlock.toString() === stampInfo
}

/** Whether the signed attributes name this certificate, so that no other of the same key passes for it. */
function names({ signedAttrs }: SignerInfo, certificate: Buffer): boolean {
  const named = (sought: string) =>
    signedAttrs?.attributes.find(({ type }) => type === sought)?.values[0]
  const [first, second] = [named(signingCertificate), named(signingCertificateV2)]
  const found = [
    ...(first ? [hashIn(first, 'sha1')] : []),
    ...(second ? [hashIn(second, 'sha256')] : []),
  ]
  return (
    found.length > 0 &&
    found.every(
      ({ algorithm, hash }) => createHash(algorithm).update(certificate).digest('hex') === hash,
    )
  )
}

/** An ASN.1 value, as far as it is looked into here. */
interface Value {
  readonly valueBlock: { readonly value?: readonly Value[]; readonly valueHexView?: Uint8Array }
}

/** The hash of the first certificate that such an attribute names, by the algorithm given or the one that it names. */
function hashIn(
  attribute: Value,
  usual: string,
): { readonly algorithm: string; readonly hash: string } {
  const parts = attribute.valueBlock.value?.[0]?.valueBlock.value?.[0]?.valueBlock.value ?? []
  const [first, second] = parts
  const named = first?.valueBlock.value?.[0]?.valueBlock.toString()
  const algorithm = named === undefined ? usual : hashes.get(named)
  const hash = (named === undefined ? first : second)?.valueBlock.valueHexView
  if (algorithm === undefined || hash === undefined) throw new Error('expected a hash')
  return { algorithm, hash: Buffer.from(hash).toString('hex') }
}

/** The common name of a certificate, else its whole subject. */
function nameOf(certificate: Buffer): string {
  const { subject } = new X509Certificate(certificate)
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ')
}
