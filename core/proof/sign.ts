import { inSlices, type Slices } from '../base/json/in-slices.ts'
import { anchorSignedText, signedText, signedTextInSlices } from './signed-text.ts'
import { encodeBase64 } from './signing/encoding.ts'
import type { Ed25519Signer, Ed25519SignerAside } from './signing/primitives.ts'

/** A signature of a document by an evidence key. */
export interface DocumentSignature {
  /** Thumbprint of the key (RFC 7638). */
  readonly keyId: string
  readonly alg: 'Ed25519'
  /** Padded base64, over the canonical JSON of the document without `signatures`. */
  readonly sig: string
}

/** A private evidence key that is ready to sign. */
export interface EvidenceSigner {
  readonly keyId: string
  readonly sign: Ed25519Signer
  /** The same on another thread, where the service has one that signs. */
  readonly signAside?: Ed25519SignerAside
}

/** The document with its one signature, in place of any that it had. */
export function signDocument<D extends object>(
  document: D,
  { keyId, sign }: EvidenceSigner,
): D & { readonly signatures: readonly DocumentSignature[] } {
  const sig = encodeBase64(sign('', signedText(document)))
  return { ...document, signatures: [{ keyId, alg: 'Ed25519', sig }] }
}

/** As `signDocument`, for a document of many megabytes: written with pauses, and signed on another thread where there is one. */
export async function signLargeDocument<D extends object>(
  document: D,
  { keyId, sign, signAside = async (...given) => sign(...given) }: EvidenceSigner,
  { slices, pause }: { readonly slices: Slices; readonly pause: () => Promise<void> },
): Promise<D & { readonly signatures: readonly DocumentSignature[] }> {
  const text = await inSlices(signedTextInSlices(document, slices), pause)
  const sig = encodeBase64(await signAside('', text))
  return { ...document, signatures: [{ keyId, alg: 'Ed25519', sig }] }
}

/** The anchor entry with its `keyId` and `signature`. */
export function signAnchor<E extends object>(
  entry: E,
  { keyId, sign }: EvidenceSigner,
): E & { readonly keyId: string; readonly signature: string } {
  const named = { ...entry, keyId }
  return { ...named, signature: encodeBase64(sign('', anchorSignedText(named))) }
}
