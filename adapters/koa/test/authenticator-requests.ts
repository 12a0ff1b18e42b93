import { createSoftwareAuthenticator } from '@countersign/conformance/authenticator'
import { collections } from '@countersign/core'
import { put } from '@countersign/core/ledger'
import { password, start, value, type World } from './world.ts'

const use = 'signing' as const
let made = 0

/** An authenticator that a member of the home organization enrolled by their password. */
async function enrolled({ service, home }: World) {
  const { actor } = await home.person('CustomerAuditor', [])
  // The portal of the world is its one host.
  const place = { rpId: 'ingest.example', origin: 'https://ingest.example' }
  const authenticator = createSoftwareAuthenticator({ algorithm: 'EdDSA', ...place })
  const given = { use, password, address: '192.0.2.1' }
  const { options } = value(await service.authenticators.startRegistration(actor, given))
  const { challenge } = options as { readonly challenge: string }
  const { id, response } = authenticator.register({ challenge })
  const credential = { id, response }
  const made = await service.authenticators.enrol(actor, { name: 'Blue key', use, credential })
  return { memberId: actor.memberId, authenticatorId: value(made).authenticatorId }
}

/** The id of a revoked authenticator that each member of the home organization has, for ids are a member's own. */
async function everyones({ service, home, store }: World) {
  const { tenantId } = home.app
  const { members } = value(
    await service.members.list(home.admin.actor, { page: 1, pageSize: 100 }),
  )
  const authenticators = collections.find(({ name }) => name === 'authenticators')
  if (!authenticators) throw new Error('there is no collection of authenticators')
  const authenticatorId = `aut_${String(++made).padStart(26, '0')}`
  const puts = members.map(({ memberId }) =>
    put(
      authenticators,
      {
        ...{ tenantId, memberId, authenticatorId, name: 'Blue key', use, rpId: 'ingest.example' },
        ...{
          credentialId: `${memberId}-${made}`,
          algorithm: -8,
          aaguid: '',
          attestedBy: null,
          backedUp: false,
        },
        ...{
          publicKey: { kty: 'OKP', crv: 'Ed25519', x: 'AAAA' },
          signCount: 0,
          createdAt: start,
          lastUsedAt: null,
          revokedAt: start,
        },
      } as never,
      null,
    ),
  )
  await store.commit({ tenant: tenantId, puts })
  return { authenticatorId }
}

/**
 * Rows of `requests` for authenticators and signed decisions. Each member has authenticators of their own, so that what
 * is one's is nobody else's: `conformance/server/checks/authenticators.ts` has those that succeed.
 */
export const authenticatorRequests = {
  'POST portal /v1/auth/passkey/options': () => ({ audience: 'anyone' as const }),
  'POST portal /v1/auth/passkey': () => ({
    audience: 'anyone' as const,
    granted: { status: 401, code: 'invalid_credentials' },
  }),
  'GET portal /v1/auth/authenticators': () => ({ audience: 'members' as const }),
  'POST portal /v1/auth/authenticators/registrations': () => ({
    audience: 'members' as const,
    optional: { password },
  }),
  'POST portal /v1/auth/authenticators/change-statement': () => ({
    audience: 'members' as const,
    granted: { status: 409, code: 'signature_required' },
  }),
  'POST portal /v1/auth/authenticators': () => ({
    audience: 'members' as const,
    granted: { status: 422, code: 'signature_invalid' },
  }),
  'PUT portal /v1/auth/authenticators/:authenticatorId': async (world: World) => ({
    audience: 'members' as const,
    ids: await everyones(world),
  }),
  'POST portal /v1/auth/authenticators/:authenticatorId/revoke': async (world: World) => ({
    audience: 'members' as const,
    ids: await everyones(world),
  }),
  'GET portal /v1/customer/members/:memberId/authenticators': ({ auditor }: World) => ({
    audience: 'admins' as const,
    ids: { memberId: auditor.actor.memberId },
  }),
  'DELETE portal /v1/customer/members/:memberId/authenticators/:authenticatorId': async (
    world: World,
  ) => ({ audience: 'admins' as const, ids: await enrolled(world) }),
  'GET portal /v1/applications/:applicationId/signed-decisions': ({ home }: World) => ({
    audience: 'members' as const,
    ids: { applicationId: home.app.applicationId },
  }),
  'PUT portal /v1/applications/:applicationId/signed-decisions': async ({
    home,
    service,
  }: World) => {
    const { applicationId } = value(
      await service.applications.create(home.admin.actor, { name: 'Signed' }),
    )
    return { audience: 'admins' as const, ids: { applicationId } }
  },
  'GET portal /v1/customer/signing-models': () => ({ audience: 'members' as const }),
  'PUT portal /v1/customer/signing-models': () => ({
    audience: 'admins' as const,
    body: { models: [] },
  }),
  'GET ingest /v1/reviewer-keys': () => ({ audience: 'application' as const }),
}
