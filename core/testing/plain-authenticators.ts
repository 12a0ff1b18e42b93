import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Authenticators, CredentialKey } from '../base/ports/authenticators.ts'
import { base64Url, decodeBase64 } from '../proof/signing/encoding.ts'

const utf8 = new TextEncoder()
const fromUtf8 = new TextDecoder()

/** Up to the length of the data: `{"fmt": "none", "attStmt": {}, "authData": …}` in CBOR. */
const attestationHead = 'a363666d74646e6f6e656761747453746d74a068617574684461746158'
/** COSE keys (RFC 9053) up to their first coordinate. */
const keyHeads = { ed25519: 'a4010103272006215820', p256: 'a5010203262001215820' }

/**
 * Reads registrations without an attestation, of keys on Ed25519 and P-256 alone. `attested`: by AAGUID the root's digest
 * of models that it believes without one. For tests.
 */
export function plainAuthenticators(
  attested: ReadonlyMap<string, string> = new Map(),
): Authenticators {
  return {
    get models() {
      return new Set(attested.keys())
    },
    async verifyRegistration({ credential, challenge, rpId, origins }) {
      const client = bytesOf(credential.response.clientDataJSON)
      const attestation = bytesOf(credential.response.attestationObject)
      if (!client || !attestation || !bytesToHex(attestation).startsWith(attestationHead))
        return null
      const said = JSON.parse(fromUtf8.decode(client)) as Readonly<Record<string, unknown>>
      const isOurs = origins.some((origin) => origin === said.origin)
      if (said.type !== 'webauthn.create' || said.challenge !== challenge || !isOurs) return null
      const data = attestation.subarray(attestationHead.length / 2 + 1)
      const id = data.subarray(55, 55 + (data[54] ?? 0))
      const publicKey = keyOf(data.subarray(55 + id.length))
      const isForUs = bytesToHex(data.subarray(0, 32)) === bytesToHex(sha256(utf8.encode(rpId)))
      if (!publicKey || !isForUs || base64Url(id) !== credential.id) return null
      const aaguid = uuidOf(data.subarray(37, 53))
      return {
        credentialId: credential.id,
        publicKey,
        algorithm: publicKey.kty === 'OKP' ? -8 : -7,
        aaguid,
        attestedBy: attested.get(aaguid) ?? null,
        backedUp: ((data[32] ?? 0) & 0x08) !== 0,
        signCount: Number.parseInt(bytesToHex(data.subarray(33, 37)), 16),
      }
    },
  }
}

function uuidOf(bytes: Uint8Array): string {
  return bytesToHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

function keyOf(cose: Uint8Array): CredentialKey | null {
  const x = base64Url(cose.subarray(10, 42))
  if (bytesToHex(cose).startsWith(keyHeads.ed25519)) return { kty: 'OKP', crv: 'Ed25519', x }
  return bytesToHex(cose).startsWith(keyHeads.p256)
    ? { kty: 'EC', crv: 'P-256', x, y: base64Url(cose.subarray(45, 77)) }
    : null
}

function bytesOf(text: string): Uint8Array | null {
  const padded = text.padEnd(Math.ceil(text.length / 4) * 4, '=')
  return decodeBase64(padded.replaceAll('-', '+').replaceAll('_', '/'))
}
