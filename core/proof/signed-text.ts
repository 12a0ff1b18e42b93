import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { canonicalize, canonicalPieces } from '../base/canonical/canonicalize.ts'
import type { Slices } from '../base/json/in-slices.ts'
import { base64Url } from './signing/encoding.ts'

/** Nesting of a signed document: content of 64 levels within that of the document. */
export const documentLevels = 128

const utf8 = new TextEncoder()

/** UTF-8 bytes of a value's canonical JSON (RFC 8785). Throws a CanonicalizationError for what has none. */
export function canonicalBytes(value: unknown): Uint8Array {
  return utf8.encode(canonicalize(value, documentLevels))
}

/** What a document's signatures are over: its canonical JSON without its `signatures`. */
export function signedText(document: object): Uint8Array {
  return canonicalBytes(without(document, ['signatures']))
}

/** Characters that are encoded together, about. */
const pieceLength = 32_768

/** As `canonicalBytes`, an object's, in pieces. */
export function* canonicalBytesInPieces(document: object): Generator<Uint8Array, void> {
  let held = ''
  for (const text of canonicalPieces(document, documentLevels)) {
    held += text
    if (held.length < pieceLength) continue
    yield utf8.encode(held)
    held = ''
  }
  yield utf8.encode(held)
}

/** As `signedText`, with pauses. */
export function* signedTextInSlices(
  document: object,
  slices: Slices,
): Generator<undefined, Uint8Array> {
  const pieces: Uint8Array[] = []
  for (const piece of canonicalBytesInPieces(without(document, ['signatures']))) {
    if (slices.spend(piece.length)) yield
    pieces.push(piece)
  }
  return concatBytes(...pieces)
}

/** What an anchor entry's signature is over: its canonical JSON without its `signature`. */
export function anchorSignedText(entry: object): Uint8Array {
  return canonicalBytes(without(entry, ['signature']))
}

/** A copy without some members. */
export function without(value: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}

/** Id of an evidence key: the JWK thumbprint (RFC 7638 3) of an Ed25519 public key of 32 bytes (RFC 8037 2). */
export function thumbprintOf(publicKey: Uint8Array): string {
  return thumbprintOfJwk({ crv: 'Ed25519', kty: 'OKP', x: base64Url(publicKey) })
}

/** Members of public keys that their thumbprints are of. */
const ofKey = ['crv', 'e', 'kty', 'n', 'x', 'y']

/** The thumbprint of a JWK (RFC 7638), of an elliptic curve or of RSA. */
export function thumbprintOfJwk(jwk: object): string {
  const members = Object.entries(jwk).filter(([name]) => ofKey.includes(name))
  return base64Url(sha256(canonicalBytes(Object.fromEntries(members))))
}
