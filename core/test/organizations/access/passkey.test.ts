import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSoftwareAuthenticator } from '@countersign/conformance/authenticator'
import { type MemberActor, unwrap } from '@countersign/core'
import { challengeOf } from '@countersign/core/webauthn'
import {
  type Authenticator,
  codeOf,
  newAuthenticator,
  origin,
  password,
  signedWorld,
} from '../../signed-world.ts'

const address = '192.0.2.1'

interface Entry {
  readonly action: string
  readonly subject: string
  readonly detail: unknown
}

/** A world in which Ada has a passkey to sign in with. */
async function passkeyWorld() {
  const world = await signedWorld()
  const { service, ada, enrol } = world
  const made = newAuthenticator()
  // As those that are synced between devices, it does not count until it is told to.
  const passkey: Authenticator = {
    ...made,
    register: (parts) => made.register({ ...parts, signCount: 0 }),
  }
  const { authenticatorId } = unwrap(await enrol(passkey, ada, 'sign_in'))
  const begin = async () => unwrap(await service.auth.startPasskey({}))
  type Begun = Awaited<ReturnType<typeof begin>>
  /** What a browser sends for a sign-in that it began, as Ada's. */
  const answerOf = (
    { statement, browserToken }: Begun,
    { by = passkey, memberId = ada.memberId, use = 'sign_in', ...parts }: Parts = {},
  ) => ({
    credential: {
      statement,
      ...by.assert({ challenge: challengeOf(statement), ...parts }),
      userHandle: Buffer.from(`${use}:${memberId}`).toString('base64url'),
    },
    browserToken,
    address,
  })
  const signIn = async (parts: Parts = {}) => service.auth.passkey(answerOf(await begin(), parts))
  const actorOf = (token: string) => service.access.authenticateMember(token)
  const entriesOf = async (action: string) => {
    const { entries } = unwrap(await service.auditLog.list(ada, {})) as {
      readonly entries: readonly Entry[]
    }
    return entries.filter((each) => each.action === action)
  }
  return { ...world, passkey, entriesOf, authenticatorId, begin, answerOf, signIn, actorOf }
}

interface Parts extends Partial<Parameters<Authenticator['assert']>[0]> {
  readonly by?: Authenticator
  readonly memberId?: string
  readonly use?: 'signing' | 'sign_in'
}

describe('a sign-in by passkey', () => {
  it('gives what a login by password gives, and its entry names the passkey', async () => {
    const { service, ada, authenticatorId, signIn, actorOf, entriesOf } = await passkeyWorld()
    const byPasskey = unwrap(await signIn())
    const byPassword = unwrap(
      await service.auth.login({ email: 'ada@acme.example', password, address }),
    )
    const shown = ({ member, tenantId, expiresAt }: typeof byPasskey) => [
      member,
      tenantId,
      expiresAt,
    ]
    assert.deepEqual(shown(byPasskey), shown(byPassword))
    const [one, other] = await Promise.all([
      actorOf(byPasskey.token).then(unwrap),
      actorOf(byPassword.token).then(unwrap),
    ])
    const rights = ({ role, permissions }: MemberActor) => [role, permissions]
    assert.deepEqual(rights(one), rights(other))
    assert.deepEqual([one.passkeyId, other.passkeyId], [authenticatorId, undefined])
    assert.deepEqual(
      (await entriesOf('member.logged_in')).map(({ subject, detail }) => [subject, detail]),
      [
        [ada.memberId, { device: 'new' }],
        [ada.memberId, { device: 'new', authenticatorId }],
      ],
    )
    const { authenticators } = unwrap(await service.authenticators.list(ada, {}))
    assert.ok(authenticators[0]?.lastUsedAt)
  })

  it('asks for nobody, and for whichever passkey the user picks', async () => {
    const { begin } = await passkeyWorld()
    const [one, other] = [await begin(), await begin()]
    assert.deepEqual(Object.keys(one.statement).sort(), [
      'issuedAt',
      'nonce',
      'statementType',
      'statementVersion',
    ])
    assert.equal(Buffer.from(one.statement.nonce, 'base64url').length, 32)
    assert.notEqual(one.statement.nonce, other.statement.nonce)
    const { allowCredentials, challenge, userVerification } = one.options as Record<string, unknown>
    assert.deepEqual(
      [allowCredentials, challenge, userVerification],
      [[], challengeOf(one.statement), 'required'],
    )
  })

  const elsewhere = (place: { readonly origin?: string; readonly rpId?: string }) =>
    createSoftwareAuthenticator({
      ...{ algorithm: 'EdDSA', rpId: 'portal.example', origin },
      ...place,
    })
  const cases: readonly (readonly [string, Parts])[] = [
    ['of a page of another origin', { origin: 'https://evil.example' }],
    ['for another relying party', { rpId: 'evil.example' }],
    ['in a frame', { client: { crossOrigin: true } }],
    ['without the user being verified', { flags: 1 }],
    ['as a registration', { type: 'webauthn.create' }],
    ['for another challenge', { challenge: challengeOf({ statementType: 'review-decision' }) }],
    ['as the passkey of another member', { memberId: 'mem_other' }],
    ['by a passkey that nobody enrolled', { by: elsewhere({}) }],
  ]
  for (const [what, parts] of cases)
    it(`is refused ${what}`, async () => {
      const { signIn } = await passkeyWorld()
      assert.equal(codeOf(await signIn(parts)), 'invalid_credentials')
      unwrap(await signIn())
    })

  it('is refused with the signature of another passkey', async () => {
    const { service, begin, answerOf } = await passkeyWorld()
    const begun = await begin()
    const right = answerOf(begun)
    const { signature } = answerOf(begun, { by: elsewhere({}) }).credential
    const credential = { ...right.credential, signature }
    assert.equal(
      codeOf(await service.auth.passkey({ ...right, credential })),
      'invalid_credentials',
    )
  })

  it('is refused by a key that signs decisions', async () => {
    const { service, ada, passkey, finish, assertionFor, signIn } = await passkeyWorld()
    const assertion = await assertionFor(passkey, { change: 'add' })
    const given = { use: 'signing', assertion, address } as const
    const begun = unwrap(await service.authenticators.startRegistration(ada, given))
    const by = newAuthenticator()
    unwrap(await finish(by, begun.options))
    for (const use of ['signing', 'sign_in'] as const)
      assert.equal(codeOf(await signIn({ by, use })), 'invalid_credentials')
  })

  it('is granted once, whoever sends it again, and to the browser that began it', async () => {
    const { service, begin, answerOf } = await passkeyWorld()
    const [begun, other] = [await begin(), await begin()]
    // An authenticator that does not count tells no replay.
    const answer = answerOf(begun, { signCount: 0 })
    const { browserToken } = other
    const send = (given: object = {}) => service.auth.passkey({ ...answer, ...given })
    assert.equal(codeOf(await send({ browserToken })), 'invalid_credentials')
    assert.equal(codeOf(await send({ browserToken: null })), 'invalid_credentials')
    const both = await Promise.all([send(), send()])
    const granted = both.map(codeOf).filter((code) => code === null)
    assert.equal(granted.length, 1)
    assert.equal(codeOf(await send()), 'invalid_credentials')
  })

  it('is granted within 5 minutes', async () => {
    const { clock, service, begin, answerOf } = await passkeyWorld()
    const answer = answerOf(await begin())
    const last = answerOf(await begin())
    await clock.advance(5 * 60_000 - 1)
    unwrap(await service.auth.passkey(answer))
    await clock.advance(1)
    assert.equal(codeOf(await service.auth.passkey(last)), 'invalid_credentials')
  })

  it('is refused where the sign count goes back, and the audit log counts what failed', async () => {
    const { clock, service, ada, signIn, entriesOf } = await passkeyWorld()
    unwrap(await signIn({ signCount: 7 }))
    assert.equal(codeOf(await signIn({ signCount: 7 })), 'authenticator_cloned')
    assert.equal(codeOf(await signIn({ signCount: 0 })), 'authenticator_cloned')
    unwrap(await signIn({ signCount: 8 }))
    service.start()
    assert.equal(codeOf(await signIn({ origin: 'https://evil.example' })), 'invalid_credentials')
    await clock.advance(16 * 60_000)
    const [failed] = await entriesOf('member.login_failed')
    assert.equal(failed?.subject, ada.memberId)
    await service.drain(0)
  })

  it('by a revoked passkey is refused, and the session that it opened ends, but no other', async () => {
    const { service, authenticatorId, signIn, actorOf, otherAdmin } = await passkeyWorld()
    const { token } = unwrap(await signIn())
    const login = { email: 'ada@acme.example', password, address }
    const byPassword = unwrap(await service.auth.login(login))
    unwrap(await (await otherAdmin())(authenticatorId))
    assert.equal(codeOf(await signIn()), 'invalid_credentials')
    assert.equal(codeOf(await actorOf(token)), 'authentication_required')
    unwrap(await actorOf(byPassword.token))
  })

  it('of a deactivated member is refused', async () => {
    const { service, ada, enrol, signIn } = await passkeyWorld()
    const bob = { name: 'Bob', email: 'bob@acme.example', password }
    const { tenantId } = ada
    const { memberId } = unwrap(
      await service.members.create(
        { kind: 'system' },
        { tenantId, ...bob, role: 'CustomerAuditor', permissions: [] },
      ),
    )
    const by = newAuthenticator()
    const member = { ...ada, memberId, role: 'CustomerAuditor', permissions: [] } as const
    unwrap(await enrol(by, member, 'sign_in'))
    assert.equal(unwrap(await signIn({ by, memberId })).member.memberId, memberId)
    unwrap(await service.members.deactivate(ada, { memberId, confirm: true }))
    assert.equal(codeOf(await signIn({ by, memberId })), 'invalid_credentials')
  })

  it('waits as a login does after failures of its address', async () => {
    const { service, begin, answerOf } = await passkeyWorld()
    const forged = async () => {
      const answer = answerOf(await begin(), { origin: 'https://evil.example' })
      return codeOf(await service.auth.passkey(answer))
    }
    const codes: (string | null)[] = []
    for (let tried = 0; tried < 40; tried++) codes.push(await forged())
    assert.equal(codes.at(-1), 'too_many_attempts')
    const elsewhere = { ...answerOf(await begin()), address: '203.0.113.9' }
    unwrap(await service.auth.passkey(elsewhere))
  })
})

describe('a passkey and a key that signs', () => {
  it('are of two users to an authenticator, which so can hold both', async () => {
    const { service, ada, passkey, assertionFor } = await passkeyWorld()
    const assertion = await assertionFor(passkey, { change: 'add' })
    const { options } = unwrap(
      await service.authenticators.startRegistration(ada, { use: 'signing', assertion, address }),
    )
    const { user, excludeCredentials } = options as {
      readonly user: { readonly id: string; readonly name: string }
      readonly excludeCredentials: readonly unknown[]
    }
    assert.equal(Buffer.from(user.id, 'base64url').toString(), `signing:${ada.memberId}`)
    assert.equal(user.name, 'ada@acme.example (signs decisions)')
    assert.deepEqual(excludeCredentials, [])
  })
})
