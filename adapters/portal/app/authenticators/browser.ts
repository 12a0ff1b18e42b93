import { NotSigned } from './not-signed.ts'

interface Named {
  readonly id: string
  readonly type: 'public-key'
}
type Made = 'challenge' | 'user' | 'excludeCredentials'
/** Options of a new credential in JSON, whose bytes are base64url. */
interface Creation extends Omit<PublicKeyCredentialCreationOptions, Made> {
  readonly challenge: string
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string }
  readonly excludeCredentials?: readonly Named[]
}
/** Options of a signature in JSON, whose bytes are base64url. */
interface Request
  extends Omit<PublicKeyCredentialRequestOptions, 'challenge' | 'allowCredentials'> {
  readonly allowCredentials?: readonly Named[]
}

/** What an authenticator answers to a challenge, in base64url. */
export interface Assertion {
  readonly credentialId: string
  readonly authenticatorData: string
  readonly clientDataJSON: string
  readonly signature: string
}

/** Asks the browser for a new credential, by the options of the service. */
export async function createCredential(options: object) {
  const { challenge, user, excludeCredentials = [], ...rest } = options as Creation
  const publicKey: PublicKeyCredentialCreationOptions = {
    ...rest,
    challenge: bytesOf(challenge),
    user: { ...user, id: bytesOf(user.id) },
    excludeCredentials: excludeCredentials.map(withBytes),
  }
  const { id, response } = await asked(() => navigator.credentials.create({ publicKey }))
  if (!(response instanceof AuthenticatorAttestationResponse)) throw new NotSigned()
  const { clientDataJSON, attestationObject } = response
  return {
    id,
    response: {
      clientDataJSON: textOf(clientDataJSON),
      attestationObject: textOf(attestationObject),
    },
  }
}

/** An assertion of a credential that the user picked, and whose it says to be. */
export interface PickedAssertion extends Assertion {
  readonly userHandle: string
}

/** Asks the browser for the signature of a challenge that this page computed itself. */
export async function signChallenge(options: object, challenge: string): Promise<Assertion> {
  const { userHandle: _, ...assertion } = await signByAny(options, challenge)
  return assertion
}

/** As `signChallenge`, by a credential that the user picks. */
export async function signByAny(options: object, challenge: string): Promise<PickedAssertion> {
  const { allowCredentials = [], ...rest } = options as Request
  const publicKey: PublicKeyCredentialRequestOptions = {
    ...rest,
    challenge: bytesOf(challenge),
    allowCredentials: allowCredentials.map(withBytes),
  }
  const { id, response } = await asked(() => navigator.credentials.get({ publicKey }))
  if (!(response instanceof AuthenticatorAssertionResponse)) throw new NotSigned()
  return {
    credentialId: id,
    authenticatorData: textOf(response.authenticatorData),
    clientDataJSON: textOf(response.clientDataJSON),
    signature: textOf(response.signature),
    userHandle: textOf(response.userHandle ?? new ArrayBuffer(0)),
  }
}

async function asked(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  // Absent where the page is not served by https.
  if (!('credentials' in navigator))
    throw new NotSigned(
      'This browser has no authenticators for this page, which must come by https.',
    )
  let credential: Credential | null
  try {
    credential = await ask()
  } catch {
    throw new NotSigned()
  }
  if (!(credential instanceof PublicKeyCredential)) throw new NotSigned()
  return credential
}

function withBytes({ id, type }: Named) {
  return { id: bytesOf(id), type }
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

function textOf(bytes: ArrayBuffer): string {
  const binary = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
