import {
  createHash,
  createPrivateKey,
  type ED25519KeyPairOptions,
  generateKeyPairSync,
  sign,
} from 'node:crypto'
import { type Cbor, cborOf } from './cbor.ts'

/** Algorithms of a software authenticator, by their COSE numbers. */
export const coseAlgorithms = { EdDSA: -8, ES256: -7, RS256: -257 } as const
/** An algorithm of a software authenticator. */
export type AuthenticatorAlgorithm = keyof typeof coseAlgorithms

/** Flags of authenticator data (WebAuthn 6.1). */
export const authenticatorFlags = {
  userPresent: 1,
  userVerified: 4,
  eligible: 8,
  backedUp: 16,
  attested: 64,
  extended: 128,
} as const

/** What an assertion is made with, where it departs from that of an honest authenticator. */
export interface AssertionParts {
  /** base64url, as the page hands it over. */
  readonly challenge: string
  readonly origin?: string
  readonly rpId?: string
  readonly flags?: number
  readonly signCount?: number
  readonly type?: string
  /** Members of `clientDataJSON` besides. */
  readonly client?: Readonly<Record<string, unknown>>
  /** Bytes after the sign count. */
  readonly extensions?: Uint8Array
}

/** A packed attestation statement (WebAuthn 8.2). */
export interface PackedStatement {
  /** COSE number of the algorithm. */
  readonly alg: number
  readonly sig: Uint8Array
  /** Certificates in DER, the authenticator's own first; absent where it attests itself. A hostile one sends anything. */
  readonly x5c?: readonly Cbor[] | number | string | Uint8Array
}

/** What a registration is made with. */
export interface RegistrationParts extends AssertionParts {
  /** Of the model: a UUID; default that of those that tell none. */
  readonly aaguid?: string
  /** The attestation of what is signed, which is authenticator data and the digest of the client data; default none. */
  readonly attest?: (signed: Uint8Array) => PackedStatement
}

/** An assertion; bytes are base64url. */
export interface Assertion {
  readonly credentialId: string
  readonly authenticatorData: string
  readonly clientDataJSON: string
  readonly signature: string
}

/** An authenticator in software, with one credential: for tests and demonstrations, for it guards its key from nobody. */
export interface SoftwareAuthenticator {
  readonly credentialId: string
  readonly algorithm: AuthenticatorAlgorithm
  /** JWK of its public key, with `alg`. */
  readonly publicKey: Readonly<Record<string, string>>
  /** COSE key of its public key (RFC 9053). */
  readonly coseKey: Uint8Array
  /** The answer to a registration: `RegistrationResponseJSON` of WebAuthn. */
  register(parts: RegistrationParts): RegistrationAnswer
  assert(parts: AssertionParts): Assertion
  /** Signs authenticator data and client data as they are given, which no authenticator would; all of it base64url. */
  signClient(authenticatorData: string, clientDataJSON: string): string
}

/** `RegistrationResponseJSON` of WebAuthn 3, section 5.1. */
export interface RegistrationAnswer {
  readonly id: string
  readonly rawId: string
  readonly type: 'public-key'
  readonly response: {
    readonly clientDataJSON: string
    readonly attestationObject: string
    readonly transports: string[]
  }
  readonly clientExtensionResults: Record<string, never>
}

/** Where an authenticator is, and its key. */
export interface AuthenticatorOptions {
  readonly algorithm: AuthenticatorAlgorithm
  readonly rpId: string
  /** Of the page that asks. */
  readonly origin: string
  /** PKCS #8 in PEM; default a fresh key. */
  readonly privateKey?: string
  /** Length of a fresh RSA key, in bits; default 2048. */
  readonly rsaBits?: number
}

/**
 * Creates an authenticator in software.
 *
 * @example
 * ```ts
 * import { createSoftwareAuthenticator } from '@countersign/conformance/authenticator'
 *
 * const reviewer = createSoftwareAuthenticator({
 *   algorithm: 'EdDSA',
 *   rpId: 'portal.example.com',
 *   origin: 'https://portal.example.com',
 * })
 * const { signature } = reviewer.assert({ challenge: 'UmV2aWV3IG1lIQ' })
 * ```
 */
export function createSoftwareAuthenticator(options: AuthenticatorOptions): SoftwareAuthenticator {
  const { algorithm, rsaBits } = options
  const key = createPrivateKey(options.privateKey ?? freshPrivateKey(algorithm, rsaBits))
  const { kty = '', crv, x, y, n, e } = key.export({ format: 'jwk' })
  const publicKey = membersOf({ kty, crv, x, y, n, e, alg: algorithm })
  const coseKey = cborOf(coseOf(algorithm, publicKey))
  const id = createHash('sha256').update(coseKey).digest().subarray(0, 16)
  const hash = algorithm === 'EdDSA' ? null : 'sha256'
  const signed = (data: Uint8Array, client: Uint8Array) =>
    sign(hash, Buffer.concat([data, digest(client)]), key).toString('base64url')
  let count = 0
  const answer = (type: string, parts: AssertionParts, attested?: Uint8Array) => {
    const { challenge, client, extensions = new Uint8Array() } = parts
    const origin = parts.origin ?? options.origin
    const clientData = {
      type: parts.type ?? type,
      challenge,
      origin,
      crossOrigin: false,
      ...client,
    }
    const clientDataJSON = Buffer.from(JSON.stringify(clientData))
    const signCount = Buffer.alloc(4)
    signCount.writeUInt32BE(parts.signCount ?? ++count)
    const { userPresent, userVerified } = authenticatorFlags
    const flags = parts.flags ?? userPresent | userVerified
    const set = attested ? flags | authenticatorFlags.attested : flags
    const rpIdHash = digest(parts.rpId ?? options.rpId)
    const end = attested ?? new Uint8Array()
    const data = Buffer.concat([rpIdHash, Uint8Array.of(set), signCount, end, extensions])
    return { clientDataJSON, data }
  }
  return {
    credentialId: id.toString('base64url'),
    algorithm,
    publicKey,
    coseKey,
    signClient: (data, client) =>
      signed(Buffer.from(data, 'base64url'), Buffer.from(client, 'base64url')),
    register(parts) {
      const { aaguid = '', attest } = parts
      const model = Buffer.from(aaguid.replaceAll('-', '').padEnd(32, '0'), 'hex')
      const credential = Buffer.concat([model, Uint8Array.of(0, id.length), id, coseKey])
      const { clientDataJSON, data } = answer('webauthn.create', parts, credential)
      const statement = attest?.(Buffer.concat([data, digest(clientDataJSON)]))
      const attestation = cborOf([
        ['fmt', statement ? 'packed' : 'none'],
        ['attStmt', statement ? packedOf(statement) : []],
        ['authData', data],
      ])
      return {
        id: id.toString('base64url'),
        rawId: id.toString('base64url'),
        type: 'public-key',
        response: {
          clientDataJSON: clientDataJSON.toString('base64url'),
          attestationObject: Buffer.from(attestation).toString('base64url'),
          transports: ['internal'],
        },
        clientExtensionResults: {},
      }
    },
    assert(parts) {
      const { clientDataJSON, data } = answer('webauthn.get', parts)
      return {
        credentialId: id.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        clientDataJSON: clientDataJSON.toString('base64url'),
        signature: signed(data, clientDataJSON),
      }
    },
  }
}

function packedOf({ alg, sig, x5c }: PackedStatement): Cbor {
  const signed = [['alg', alg] as const, ['sig', sig] as const]
  if (x5c === undefined) return signed
  const isList = typeof x5c === 'object' && !(x5c instanceof Uint8Array)
  return [...signed, ['x5c', isList ? { items: x5c } : x5c]]
}

function digest(content: string | Uint8Array): Buffer {
  return createHash('sha256').update(content).digest()
}

const inPem: ED25519KeyPairOptions<'pem', 'pem'> = {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
}

/**
 * A fresh private key for `privateKey`: PKCS #8 in PEM. No key object is used as it was generated: Node 20 locks one while
 * it is exported, and waits for ever when the generation, which has the same lock, is collected just then.
 */
export function freshPrivateKey(algorithm: AuthenticatorAlgorithm, rsaBits = 2_048): string {
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519', inPem).privateKey
  if (algorithm === 'ES256')
    return generateKeyPairSync('ec', { namedCurve: 'P-256', ...inPem }).privateKey
  return generateKeyPairSync('rsa', { modulusLength: rsaBits, ...inPem }).privateKey
}

function membersOf(jwk: object): Readonly<Record<string, string>> {
  const members = Object.entries(jwk).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  )
  return Object.fromEntries(members)
}

/** Labels of COSE keys (RFC 9053 7.1, RFC 8230 4). */
function coseOf(algorithm: AuthenticatorAlgorithm, jwk: Readonly<Record<string, string>>): Cbor {
  const bytes = (name: string) => Buffer.from(jwk[name] ?? '', 'base64url')
  const alg = [3, coseAlgorithms[algorithm]] as const
  if (algorithm === 'EdDSA') return [[1, 1], alg, [-1, 6], [-2, bytes('x')]]
  if (algorithm === 'ES256') return [[1, 2], alg, [-1, 1], [-2, bytes('x')], [-3, bytes('y')]]
  return [[1, 3], alg, [-1, bytes('n')], [-2, bytes('e')]]
}
