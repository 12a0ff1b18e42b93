import { createHash } from 'node:crypto'
import { expect, expectEqual } from '../../assert.ts'
import {
  createSoftwareAuthenticator,
  type SoftwareAuthenticator,
} from '../../authenticator/software-authenticator.ts'
import { canonicalText as canonical } from '../../canonical.ts'
import { group } from '../check.ts'
import { type Body, granted, refused, type World } from '../world.ts'
import { ownMember } from './passwords.ts'

const own = '/v1/auth/authenticators'

/** A member of the suite's own with a session, and calls in it; null where invitations go out by mail alone. */
async function ownSession(world: World, role?: 'CustomerAdmin') {
  const member = await ownMember(world, role ? [] : ['Review Cases'], role)
  if (!member) return null
  const headers = await member.session()
  const ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: Body) =>
    world.nobody.portal.ask({ method, path, headers, ...(body && { body }) })
  const { origin, hostname: rpId } = member.portal
  const authenticator = () => createSoftwareAuthenticator({ algorithm: 'ES256', rpId, origin })
  return { ...member, ask, authenticator }
}
type OwnSession = NonNullable<Awaited<ReturnType<typeof ownSession>>>

const challengeOf = (statement: unknown) =>
  createHash('sha256').update(canonical(statement)).digest('base64url')

async function enrol(
  { ask }: OwnSession,
  authenticator: SoftwareAuthenticator,
  proof: Body,
  use: 'signing' | 'sign_in' = 'signing',
): Promise<Body> {
  const begun = granted(await ask('POST', `${own}/registrations`, { use, ...proof }))
  const { challenge } = begun.options as { readonly challenge: string }
  const { id, response } = authenticator.register({ challenge })
  const credential = { id, response }
  return granted(await ask('POST', own, { name: 'Key of the suite', use, credential }))
}

async function assertionFor({ ask }: OwnSession, by: SoftwareAuthenticator, change: Body) {
  const { statement } = granted(await ask('POST', `${own}/change-statement`, change))
  return { statement, ...by.assert({ challenge: challengeOf(statement) }) }
}

/** What the statement of a weaker setting has of an operation and of what it sets. */
const settingDigest = (operation: string, value: Body) =>
  createHash('sha256').update(canonical({ operation, value })).digest('hex')

/** Signs a member of the suite's own in by their passkey, as a browser does; answers what it sends, and sends it. */
async function signingIn({ nobody }: World, passkey: SoftwareAuthenticator, memberId: string) {
  const begun = await nobody.portal.post('/v1/auth/passkey/options')
  const { statement } = granted(begun)
  const [cookie = ''] = [begun.headers['set-cookie'] ?? []].flat()
  for (const flag of ['httponly', 'max-age=300', 'path=/'])
    expect(cookie.toLowerCase().includes(flag), `expected ${flag} in ${cookie}`)
  const userHandle = Buffer.from(`sign_in:${memberId}`).toString('base64url')
  const assertion = passkey.assert({ challenge: challengeOf(statement) })
  const body = { credential: { statement, ...assertion, userHandle } }
  const send = (headers: Readonly<Record<string, string>>) =>
    nobody.portal.post('/v1/auth/passkey', body, headers)
  return { send, headers: { cookie: cookie.split(';')[0] ?? '' } }
}

export const authenticatorChecks = group('authenticators', 'interface, Signed decisions', [
  {
    name: 'own',
    promise: 'a password enrols the first authenticator; it signs for another, and for removals',
    run: async (world) => {
      const session = await ownSession(world)
      if (!session) return
      const { ask, password, memberId } = session
      const [first, second] = [session.authenticator(), session.authenticator()]
      const { authenticatorId } = await enrol(session, first, { password })
      const again = { use: 'signing', password }
      refused(await ask('POST', `${own}/registrations`, again), 409, 'signature_required')
      const assertion = await assertionFor(session, first, { change: 'add' })
      await enrol(session, second, { assertion })
      const path = `${own}/${String(authenticatorId)}`
      const renamed = granted(await ask('PUT', path, { name: 'First key' }))
      expectEqual(renamed.name, 'First key', 'the name after a change')
      const removal = await assertionFor(session, second, {
        ...{ change: 'remove', subject: authenticatorId },
      })
      const foreign = { ...removal, signature: assertion.signature }
      refused(await ask('POST', `${path}/revoke`, { assertion: foreign }), 422, 'signature_invalid')
      granted(await ask('POST', `${path}/revoke`, { assertion: removal }))
      const listed = granted(await ask('GET', own)).authenticators as readonly Body[]
      expectEqual(
        listed.map(({ revokedAt }) => revokedAt === null),
        [false, true],
        'which authenticators are not revoked',
      )
      const ofMember = `/v1/customer/members/${memberId}/authenticators`
      const [, left] = granted(await world.admin.get(ofMember)).authenticators as readonly Body[]
      const last = `${ofMember}/${String(left?.authenticatorId)}`
      granted(await world.admin.ask({ method: 'DELETE', path: last }))
      refused(await ask('POST', `${own}/registrations`, again), 403, 'forbidden')
      await session.leave()
    },
  },
  {
    name: 'signed',
    promise:
      'a reviewer who signs decides by their signature alone, which the application verifies',
    run: async (world) => {
      const session = await ownSession(world)
      if (!session) return
      const { ask, password, memberId } = session
      const key = session.authenticator()
      await enrol(session, key, { password })
      const { reviewCaseId, applicationId } = await world.open()
      const path = `/v1/review-cases/${reviewCaseId}`
      const { caseVersion, presentationDigest } = granted(await ask('POST', `${path}/claim`, {}))
      const choice = { caseVersion, presentationDigest, decision: 'approved', comment: 'fine' }
      refused(await ask('POST', `${path}/decide`, choice), 409, 'signature_required')
      const { statement, nonces } = granted(await ask('POST', `${path}/decision-statement`, choice))
      const signed = key.assert({ challenge: challengeOf(statement) })
      const signature = { statement, nonces, ...signed }
      const other = { ...choice, decision: 'rejected', signature }
      refused(await ask('POST', `${path}/decide`, other), 422, 'signature_invalid')
      granted(await ask('POST', `${path}/decide`, { ...choice, signature }))
      const read = granted(await world.application.get(path))
      const shown = read.decisionSignature as Body | null
      expectEqual(shown?.signature, signed.signature, 'the signature that the application reads')
      expectEqual(canonical(shown?.statement), canonical(statement), 'the statement that it reads')
      const { keys } = granted(await world.application.get('/v1/reviewer-keys'))
      const pinned = (keys as readonly Body[]).find(({ kid }) => kid === key.credentialId)
      expect(pinned?.x === key.publicKey.x, 'expected the key among those of reviewers')
      expectEqual(pinned?.memberId, memberId, 'whose key it is')
      const rule = `/v1/applications/${String(applicationId)}/signed-decisions`
      const { signedDecisions, refuseSynced } = granted(await world.admin.get(rule))
      const same = granted(
        await world.admin.ask({
          method: 'PUT',
          path: rule,
          body: { signedDecisions, refuseSynced },
        }),
      )
      expectEqual(same.signedDecisions, signedDecisions, 'which decisions must be signed')
      const models = '/v1/customer/signing-models'
      const { models: listed, verifiable } = granted(await world.admin.get(models))
      expect(Array.isArray(verifiable), 'expected the models that can be listed')
      const kept = { method: 'PUT', path: models, body: { models: listed } } as const
      const set = granted(await world.admin.ask(kept))
      expectEqual(canonical(set.models), canonical(listed), 'which models sign decisions')
      await session.leave()
    },
  },
  {
    name: 'lost',
    promise: 'an admin revokes none of their own authenticators by their session alone',
    run: async (world) => {
      const session = await ownSession(world, 'CustomerAdmin')
      if (!session) return
      const { ask, password, memberId } = session
      const key = session.authenticator()
      const { authenticatorId } = await enrol(session, key, { password })
      const own = `/v1/auth/authenticators/${String(authenticatorId)}`
      const ofMember = `/v1/customer/members/${memberId}/authenticators`
      const path = `${ofMember}/${String(authenticatorId)}`
      refused(await ask('DELETE', path), 409, 'signature_required')
      // There is another admin, whom who lost it asks.
      refused(await ask('POST', `${own}/revoke`, { password }), 409, 'signature_required')
      const revoked = granted(await world.admin.ask({ method: 'DELETE', path }))
      expect(revoked.revokedAt !== null, 'expected it revoked by another admin')
      await session.leave()
    },
  },
  {
    name: 'weaker',
    promise: 'an assertion for a weaker setting sets what it was signed for, once',
    run: async (world) => {
      const session = await ownSession(world, 'CustomerAdmin')
      if (!session) return
      const { ask, password } = session
      const one = session.authenticator()
      // It counts nothing, so that a replay does not show by the count.
      const key: SoftwareAuthenticator = {
        ...one,
        register: (parts) => one.register({ ...parts, signCount: 0 }),
        assert: (parts) => one.assert({ ...parts, signCount: 0 }),
      }
      await enrol(session, key, { password })
      const path = '/v1/customer/sign-in-rule'
      const { signIn } = granted(await ask('GET', path))
      const { tenantId } = granted(await ask('GET', '/v1/auth/session'))
      const signed = (operation: string, value: Body) =>
        assertionFor(session, key, {
          ...{ change: 'weaken', subject: tenantId },
          settingDigest: settingDigest(operation, value),
        })
      // What is there is set again: also a server that takes any assertion changes nothing.
      const set = (assertion: Body) => ask('PUT', path, { signIn, assertion })
      const other = signIn === 'password' ? 'passkey' : 'password'
      const ofOther = await signed('signInRule.set', { signIn: other })
      refused(await set(ofOther), 422, 'signature_invalid')
      const ofModels = await signed('signingModels.set', { signIn })
      refused(await set(ofModels), 422, 'signature_invalid')
      const assertion = await signed('signInRule.set', { signIn })
      granted(await set(assertion))
      refused(await set(assertion), 422, 'signature_invalid')
      await session.leave()
    },
  },
  {
    name: 'passkey',
    promise: 'a passkey signs its member in, once, to the browser that began it',
    run: async (world) => {
      const session = await ownSession(world)
      if (!session) return
      const { password, memberId } = session
      const passkey = session.authenticator()
      const { authenticatorId } = await enrol(session, passkey, { password }, 'sign_in')
      const { send, headers } = await signingIn(world, passkey, memberId)
      refused(await send({}), 401, 'invalid_credentials')
      const { cookieName, token } = granted(await send(headers))
      refused(await send(headers), 401, 'invalid_credentials')
      const own = { cookie: `${String(cookieName)}=${String(token)}` }
      const read = () =>
        world.nobody.portal.ask({ method: 'GET', path: '/v1/auth/session', headers: own })
      const member = granted(await read()).member as Body
      expectEqual(member.memberId, memberId, 'the member of the session')
      const { provider } = granted(await world.admin.get('/v1/customer/sign-in-provider'))
      expect(provider === null || typeof provider === 'object', 'expected the provider or null')
      const { signIn } = granted(await world.admin.get('/v1/customer/sign-in-rule'))
      expect(typeof signIn === 'string', 'expected how members sign in')
      const removal = await assertionFor(session, passkey, {
        ...{ change: 'remove', subject: authenticatorId },
      })
      const path = `/v1/auth/authenticators/${String(authenticatorId)}/revoke`
      granted(await session.ask('POST', path, { assertion: removal }))
      refused(await read(), 401, 'authentication_required')
      const late = await signingIn(world, passkey, memberId)
      refused(await late.send(late.headers), 401, 'invalid_credentials')
      await session.leave()
    },
  },
])
