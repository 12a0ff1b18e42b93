import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto'
import {
  type Authenticators,
  type CredentialAlgorithm,
  type CredentialKey,
  credentialAlgorithms,
} from '@countersign/core/ports'
import { verifyRegistrationResponse } from '@simplewebauthn/server'
import { cose, decodeCredentialPublicKey } from '@simplewebauthn/server/helpers'
import { type AttestationRoots, attestationsBy, readStatement } from './attestation.ts'

const leastRsaBits = 2048
/** Keys that are kept as they were read, which takes as long as a verification; the one that is unused longest goes first. */
const mostKeys = 1_000

/**
 * Registrations of authenticators, by `@simplewebauthn/server`. `attestationRoots`: the models whose attestations are
 * verified, none unless given.
 */
export function authenticators({
  attestationRoots = {},
}: {
  readonly attestationRoots?: AttestationRoots
} = {}): Authenticators {
  const keyObject = keyObjects()
  const attestations = attestationsBy(attestationRoots)
  return {
    models: attestations.models,
    async verifyRegistration({ credential, challenge, rpId, origins, now }) {
      const { id } = credential
      const statement = readStatement(credential.response.attestationObject)
      if (!statement) return null
      const verified = await verifyRegistrationResponse({
        response: {
          ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
          response: credential.response,
        },
        expectedChallenge: challenge,
        expectedOrigin: [...origins],
        expectedRPID: rpId,
        supportedAlgorithmIDs: [...credentialAlgorithms],
        // It throws for whatever does not verify, and for bytes that it can't read.
      }).catch(() => null)
      const info = verified?.verified ? verified.registrationInfo : null
      const key = info && keyOf(info.credential.publicKey)
      // The id that the caller names is not signed; the one in the data is what assertions will have.
      if (!info || !key || info.credential.id !== id) return null
      const { aaguid } = info
      return {
        credentialId: id,
        ...key,
        aaguid,
        attestedBy: attestations.rootOf(statement, aaguid, now),
        backedUp: info.credentialDeviceType === 'multiDevice',
        signCount: info.credential.counter,
      }
    },
    verifySignature: ({ publicKey, signed, signature }) =>
      verify('sha256', signed, keyObject(publicKey), signature),
  }
}

/** Reads public keys, each once as long as it is used. */
function keyObjects(): (key: CredentialKey) => KeyObject {
  const known = new Map<string, KeyObject>()
  return (key) => {
    const name =
      key.kty === 'RSA' ? `${key.n}.${key.e}` : key.kty === 'EC' ? `${key.x}.${key.y}` : key.x
    const found = known.get(name) ?? createPublicKey({ key: key as JsonWebKey, format: 'jwk' })
    known.delete(name)
    known.set(name, found)
    const [oldest] = known.size > mostKeys ? known.keys() : []
    if (oldest !== undefined) known.delete(oldest)
    return found
  }
}

interface Key {
  readonly publicKey: CredentialKey
  readonly algorithm: CredentialAlgorithm
}

/** A COSE key (RFC 9052) as a JSON Web Key; null for one that is no key on its curve, or too short. */
function keyOf(bytes: Uint8Array<ArrayBuffer>): Key | null {
  const key = decodeCredentialPublicKey(bytes)
  const algorithm = credentialAlgorithms.find((each) => each === key.get(cose.COSEKEYS.alg))
  const publicKey = jwkOf(key)
  if (algorithm === undefined || !publicKey || kinds[algorithm] !== publicKey.kty) return null
  try {
    const made = createPublicKey({ key: publicKey as JsonWebKey, format: 'jwk' })
    const bits = made.asymmetricKeyDetails?.modulusLength ?? leastRsaBits
    return bits < leastRsaBits ? null : { publicKey, algorithm }
  } catch {
    return null
  }
}

const kinds = { [-8]: 'OKP', [-7]: 'EC', [-257]: 'RSA' } as const

function jwkOf(key: ReturnType<typeof decodeCredentialPublicKey>): CredentialKey | null {
  const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('base64url')
  if (cose.isCOSEPublicKeyOKP(key)) {
    if (key.get(cose.COSEKEYS.crv) !== cose.COSECRV.ED25519) return null
    return { kty: 'OKP', crv: 'Ed25519', x: text(key.get(cose.COSEKEYS.x)) }
  }
  if (cose.isCOSEPublicKeyEC2(key)) {
    if (key.get(cose.COSEKEYS.crv) !== cose.COSECRV.P256) return null
    const [x, y] = [text(key.get(cose.COSEKEYS.x)), text(key.get(cose.COSEKEYS.y))]
    return { kty: 'EC', crv: 'P-256', x, y }
  }
  if (!cose.isCOSEPublicKeyRSA(key)) return null
  return { kty: 'RSA', n: text(key.get(cose.COSEKEYS.n)), e: text(key.get(cose.COSEKEYS.e)) }
}
