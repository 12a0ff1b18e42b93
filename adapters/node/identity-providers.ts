import { Resolver } from 'node:dns/promises'
import type { IdentityProviders, ProviderClient, ProviderFault } from '@countersign/core/ports'
import * as openid from 'openid-client'
import { type GuardedFetchOptions, guardedFetch, UnreachableError } from './egress/guarded-fetch.ts'

/** Options of `identityProviders`. */
export interface IdentityProvidersOptions extends GuardedFetchOptions {
  /** TXT records of a domain, each in its parts; those of the system's name servers unless given. */
  readonly resolveTexts?: (domain: string) => Promise<readonly (readonly string[])[]>
}

const scope = 'openid email profile'

/** OpenID providers by `openid-client`; their documents, tokens and keys are fetched under the rules of egress. */
export function identityProviders(options: IdentityProvidersOptions = {}): IdentityProviders {
  const fetch = guardedFetch(options)
  const resolveTexts = options.resolveTexts ?? ((domain) => new Resolver().resolveTxt(domain))

  /** Asked anew for each sign-in, so that keys and addresses which the provider changed hold at once. */
  function discover({ issuer, clientId, clientSecret }: ProviderClient) {
    return openid.discovery(new URL(issuer), clientId, clientSecret, undefined, {
      // The ID token comes over TLS, which is enough for OpenID Connect; its signature is checked all the same.
      execute: [openid.enableNonRepudiationChecks],
      [openid.customFetch]: (url, { method, headers, body }) =>
        fetch(url, { method, headers, body: textOf(body) }),
    })
  }

  return {
    async begin({ client, redirectUri, secrets, loginHint }) {
      try {
        const { state, nonce, codeVerifier } = secrets
        const url = openid.buildAuthorizationUrl(await discover(client), {
          ...{ redirect_uri: redirectUri, scope, state, nonce, login_hint: loginHint },
          code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
        })
        if (url.protocol !== 'https:') return refused(`expected https, got ${url.protocol}`)
        return { ok: true, url: url.href }
      } catch (error) {
        return faultOf(error)
      }
    },
    async complete({ client, redirectUri, secrets, query }) {
      try {
        const config = await discover(client)
        const answer = new URL(redirectUri)
        answer.search = query
        const tokens = await openid.authorizationCodeGrant(config, answer, {
          expectedState: secrets.state,
          expectedNonce: secrets.nonce,
          pkceCodeVerifier: secrets.codeVerifier,
        })
        const claims = tokens.claims()
        if (!claims) return refused('expected an ID token, got none')
        // The library looks at it only where there are several audiences.
        if (claims.azp !== undefined && claims.azp !== client.clientId)
          return refused(`expected an ID token issued to ${client.clientId}, got ${claims.azp}`)
        const isAsked = claims.email === undefined && config.serverMetadata().userinfo_endpoint
        const more = isAsked
          ? await openid.fetchUserInfo(config, tokens.access_token, claims.sub)
          : null
        const told: Readonly<Record<string, unknown>> = { ...more, ...claims }
        const { email, email_verified: emailVerified, name } = told
        return {
          ok: true,
          identity: {
            subject: claims.sub,
            email: typeof email === 'string' ? email : null,
            emailVerified: emailVerified === true,
            name: typeof name === 'string' ? name : null,
          },
        }
      } catch (error) {
        return faultOf(error)
      }
    },
    async texts(domain) {
      try {
        return (await resolveTexts(domain)).map((parts) => parts.join(''))
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : null
        if (code === 'ENODATA' || code === 'ENOTFOUND') return []
        throw error
      }
    },
  }
}

function textOf(body: openid.FetchBody | undefined): string | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string' || body instanceof URLSearchParams) return String(body)
  throw new TypeError('expected a form as the body')
}

function refused(detail: string): ProviderFault {
  return { ok: false, fault: 'refused', detail }
}

/** What the library throws: for an answer that it does not believe, unless the network failed below. */
function faultOf(error: unknown): ProviderFault {
  const chain = causesOf(error)
  const fault = chain.some((each) => each instanceof UnreachableError) ? 'unreachable' : 'refused'
  return { ok: false, fault, detail: chain.map(({ message }) => message).join(': ') }
}

function causesOf(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : []
}
