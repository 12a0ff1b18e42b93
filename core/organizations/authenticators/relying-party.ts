import { anything, type Shape } from '../../kernel/shape.ts'
import { challengeMs } from './challenges.ts'
import type { Authenticator } from './records.ts'

/** As whom the service asks authenticators (WebAuthn Level 3, 4). */
export interface RelyingParty {
  /** The portal's host, or a parent domain of it. */
  readonly rpId: string
  /** Of the portal's pages. */
  readonly origins: readonly string[]
}

/** Why a text can't be the id of the relying party of a portal's pages; null where it can. */
export function faultOfRpId(rpId: string, portalUrl: string): string | null {
  const { hostname } = new URL(portalUrl)
  const isParent = rpId.includes('.') && hostname.endsWith(`.${rpId}`) && !/^[\d.]+$/.test(hostname)
  return rpId === hostname || isParent
    ? null
    : `expected ${hostname}, or a parent domain of it in lower case`
}

/** The relying party of a portal; `rpId` is that of its URL unless given. */
export function relyingPartyOf(portalUrl: string, rpId?: string): RelyingParty {
  const { protocol, hostname, port } = new URL(portalUrl)
  const origin = `${protocol}//${hostname}${port === '' ? '' : `:${port}`}`
  return { rpId: rpId ?? hostname, origins: [origin] }
}

/** Options for `navigator.credentials`, whose members are those of WebAuthn. */
export const browserOptions: Shape<object> = {
  ...(anything as Shape<object>),
  json: { input: { type: 'object' }, answer: { type: 'object', additionalProperties: {} } },
}

/** `PublicKeyCredentialRequestOptionsJSON` for an assertion of one of these; of none: of whichever the user picks. */
export function requestOptions(
  { rpId }: RelyingParty,
  challenge: string,
  asked: readonly Authenticator[],
): object {
  return {
    challenge,
    rpId,
    timeout: challengeMs,
    userVerification: 'required',
    allowCredentials: asked.map(({ credentialId: id }) => ({ id, type: 'public-key' })),
  }
}
