import { base64Url } from '../proof/signing/encoding.ts'
import type { IssuerKey } from './records.ts'

/** A public key as a JSON Web Key (RFC 7517, RFC 8037); `kid` is the version. */
export interface PublicJwk {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly x: string
  readonly kid: string
  readonly use: 'sig'
  readonly alg: 'EdDSA'
}

export function publicJwk(key: IssuerKey): PublicJwk {
  const x = base64Url(key.publicKey)
  return { kty: 'OKP', crv: 'Ed25519', x, kid: String(key.version), use: 'sig', alg: 'EdDSA' }
}
