import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { KeyAndCert } from '@countersign/node/local-ca'
import Provider from 'oidc-provider'

/** Whom a provider signs in, as its claims say it. */
export interface Person {
  readonly sub: string
  readonly email: string
  readonly email_verified: boolean
  readonly name: string
}

/** A certified OpenID provider on loopback that signs in `person` without asking them. */
export interface CertifiedProvider {
  readonly issuer: string
  person: Person
  close(): void
}

/** Opens a provider with the client `countersign`, whose secret is the same word. */
export async function openProvider(
  certificate: KeyAndCert,
  redirectUri: string,
  person: Person,
): Promise<CertifiedProvider> {
  const server = createServer(certificate)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`
  const opened: CertifiedProvider = {
    issuer,
    person,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
  const provider = new Provider(issuer, {
    clients: [
      { client_id: 'countersign', client_secret: 'countersign', redirect_uris: [redirectUri] },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: ['of the tests'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: async (_, accountId) => ({
      accountId,
      claims: async () => ({ ...opened.person }),
    }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: 'countersign',
        accountId: oidc.session?.accountId ?? '',
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  const handle = provider.callback()
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void handle(request, response)
    const login = { accountId: opened.person.sub }
    void provider.interactionFinished(request, response, { login })
  })
  return opened
}
