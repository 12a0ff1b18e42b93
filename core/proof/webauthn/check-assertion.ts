import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import {
  type DecisionSignature,
  decisionSignatureMembers,
} from '../../base/events/decision-signature.ts'
import { isObject, mismatch } from '../../base/events/shape.ts'
import { decodeBase64Url } from '../signing/encoding.ts'
import { equalBytes } from '../signing/equal.ts'
import { readAssertionKey, type SignedBytes } from './assertion-key.ts'
import {
  challengeOf,
  type ExpectedStatement,
  expectedNames,
  faultOfStatement,
} from './statement.ts'

/** The checks of an assertion, in their order. */
export const assertionChecks = [
  'form',
  'expected',
  'statement',
  'credential',
  'client_data',
  'type',
  'challenge',
  'origin',
  'cross_origin',
  'authenticator_data',
  'rp_id',
  'user_present',
  'user_verified',
  'synced',
  'algorithm',
  'signature',
] as const
/** A check of an assertion. */
export type AssertionCheck = (typeof assertionChecks)[number]

/** The first check of an assertion that failed. */
export interface AssertionRefusal {
  readonly ok: false
  readonly check: AssertionCheck
  /** What was expected; quotes nothing of the assertion. */
  readonly detail: string
}

/** A challenge that an authenticator signed, and what is required of the signature. */
export interface SignedChallenge {
  /** Unpadded base64url. */
  readonly challenge: string
  readonly signature: Omit<DecisionSignature, 'publicKey' | 'responseNonce' | 'statement'>
  readonly credential: {
    readonly credentialId: string
    /** JWK of the credential as it was pinned or enrolled; never the one that came with the signature. */
    readonly publicKey: unknown
  }
  /** The relying party's id: the host of the portal, or a parent domain of it. */
  readonly rpId: string
  /** Origins whose page may ask for a signature, such as `https://portal.example.com`. */
  readonly origins: readonly string[]
  /** Refuses credentials that say that they can be synced to other devices. */
  readonly refuseSynced?: boolean
  /** SHA-256 by faster code than the portable one. */
  readonly sha256?: (bytes: Uint8Array) => Uint8Array
}

/** An assertion and what it is held against. */
export interface AssertionGiven extends Omit<SignedChallenge, 'challenge' | 'signature'> {
  readonly expected: ExpectedStatement
  readonly signature: Omit<DecisionSignature, 'publicKey' | 'responseNonce'>
}

/** The first check that failed, or the bytes of a signature with its key, which are yet to be verified. */
export type Checked = AssertionRefusal | { readonly ok: true; readonly left: SignedBytes }

const utf8 = new TextEncoder()
const fromUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const flags = {
  userPresent: 1,
  userVerified: 4,
  eligible: 8,
  backedUp: 16,
  attested: 64,
  extended: 128,
}
const { publicKey: _, 'responseNonce?': __, statement: ___, ...texts } = decisionSignatureMembers

/**
 * All checks of an assertion but that of the signature's bytes, which remain: the first that failed, or the bytes with
 * the key. `expected` is compared first.
 */
export function checkAssertion(given: AssertionGiven): Checked {
  const { signature } = given
  const form = isObject(signature) ? mismatch(signature, texts)?.detail : 'expected an object'
  if (form !== undefined) return refuse('form', form)
  const statement = checkStatement(given)
  if (statement) return statement
  return checkSignedChallenge({
    ...given,
    challenge: challengeOf(signature.statement, given.sha256),
  })
}

/** As `checkAssertion`, of a challenge that is none of a decision. */
export function checkSignedChallenge(given: SignedChallenge): Checked {
  const { signature, credential, sha256: hash = sha256 } = given
  if (signature.credentialId !== credential.credentialId)
    return refuse('credential', 'expected an assertion of the credential')
  const client = decodeBase64Url(signature.clientDataJSON)
  const clientData = client && checkClientData(client, given)
  if (!client || clientData) return clientData ?? refuse('client_data', 'expected base64url')
  const authenticator = decodeBase64Url(signature.authenticatorData)
  const data = authenticator && checkAuthenticatorData(authenticator, given)
  if (!authenticator || data) return data ?? refuse('authenticator_data', 'expected base64url')
  const key = readAssertionKey(credential.publicKey)
  if (!key) return refuse('algorithm', 'expected a key of Ed25519, P-256 or RSA from 2048 bits')
  const bytes = decodeBase64Url(signature.signature)
  if (!bytes) return refuse('signature', 'expected base64url')
  const signed = concatBytes(authenticator, hash(client))
  return { ok: true, left: { key, signed, signature: bytes } }
}

/** The refusal of an assertion, of which all else holds, for the bytes of its signature. */
export const wrongSignature: AssertionRefusal = refuse(
  'signature',
  'expected a signature of the key',
)

function checkStatement({ expected, signature }: AssertionGiven): AssertionRefusal | null {
  const statement: unknown = signature.statement
  if (!isObject(statement)) return refuse('statement', 'expected an object')
  for (const name of expectedNames)
    if (statement[name] !== expected[name]) return refuse('expected', `expected another ${name}`)
  const fault = faultOfStatement(statement)
  return fault === null ? null : refuse('statement', fault)
}

function checkClientData(
  bytes: Uint8Array,
  { challenge, origins }: SignedChallenge,
): AssertionRefusal | null {
  const data = jsonOf(bytes)
  if (!isObject(data)) return refuse('client_data', 'expected a JSON object in UTF-8')
  if (data.type !== 'webauthn.get') return refuse('type', 'expected the type webauthn.get')
  if (data.challenge !== challenge)
    return refuse('challenge', 'expected the digest of the statement as the challenge')
  if (typeof data.origin !== 'string' || !origins.includes(data.origin))
    return refuse('origin', `expected an origin of ${origins.join(', ')}`)
  const isFramed = (data.crossOrigin ?? false) !== false || data.topOrigin !== undefined
  return isFramed ? refuse('cross_origin', 'expected no frame of another origin') : null
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(fromUtf8.decode(bytes))
  } catch {
    return undefined
  }
}

/** SHA-256 of the relying party's id, flags, sign count and extensions (WebAuthn 6.1). */
const shortest = 37

function checkAuthenticatorData(
  bytes: Uint8Array,
  { rpId, refuseSynced = false, sha256: hash = sha256 }: SignedChallenge,
): AssertionRefusal | null {
  const set = bytes[32] ?? 0
  const has = (flag: keyof typeof flags) => (set & flags[flag]) !== 0
  // Credential data is a registration's alone; what follows the count is extensions.
  const isWhole = has('extended') ? bytes.length > shortest : bytes.length === shortest
  if (!isWhole || has('attested'))
    return refuse('authenticator_data', 'expected the data of an assertion')
  if (has('backedUp') && !has('eligible'))
    return refuse('authenticator_data', 'expected no backup of what can not be backed up')
  if (!equalBytes(bytes.subarray(0, 32), hash(utf8.encode(rpId))))
    return refuse('rp_id', `expected the relying party ${rpId}`)
  if (!has('userPresent')) return refuse('user_present', 'expected the user to be present')
  if (!has('userVerified')) return refuse('user_verified', 'expected the user to be verified')
  if (refuseSynced && has('eligible'))
    return refuse('synced', 'expected a credential that stays on its device')
  return null
}

function refuse(check: AssertionCheck, detail: string): AssertionRefusal {
  return { ok: false, check, detail }
}
