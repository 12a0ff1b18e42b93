import { refuseErrors, wrong } from '../../kernel/ledger/input-errors.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { refuse } from '../../kernel/ledger/refusal.ts'
import { object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { pageIfAny } from '../../kernel/page.ts'
import { anyText, name, oneOf, time } from '../../kernel/shape.ts'
import { optional } from '../../kernel/wrap.ts'
import { caller } from '../access/caller.ts'
import { members, rosters, tenants } from '../access/records.ts'
import type { AccessTools } from '../access/tools.ts'
import {
  checkedPassword,
  countingProof,
  ofProof,
  proof,
  wrongPassword,
} from '../providers/prove-admin.ts'
import { change, changeAssertion, changeStatementShape, setting, subject } from './assertion.ts'
import { challengeMs, challengeTime, issueChallenge } from './challenges.ts'
import { challengeIn, newCredential, unverified } from './new-credential.ts'
import { mayRevokeByPassword } from './own-revocation.ts'
import { changeStatement } from './prove-presence.ts'
import {
  authenticatorShape,
  authenticators,
  authenticatorsShape,
  authenticatorUses,
  authenticatorView,
  partOfOwn,
  shownAuthenticator,
} from './records.ts'
import {
  creationOptions,
  isEnrolmentLink,
  isFresh,
  mayEnrol,
  notFresh,
  registrationPurpose,
  type Standing,
  standings,
} from './registration.ts'
import { browserOptions } from './relying-party.ts'
import { conveyanceFor, maySign, modelsOf } from './signing-models.ts'
import { enrolled, ownOf, proveChange, provingOf, revoke, self, tellOtherAdmins } from './unit.ts'
import { weakensFrom } from './weakening.ts'

const { command, reading } = operationsWith<AccessTools>()
const id = { authenticatorId: shownAuthenticator.authenticatorId }
const use = oneOf(authenticatorUses)

/** The own authenticators, revoked ones too, the oldest first. */
export const listAuthenticators = reading({
  name: 'authenticators.list',
  doc: 'List the own authenticators, revoked ones too',
  right: null,
  takes: pageIfAny,
  gives: authenticatorsShape,
  refuses: [],
  async run({ ask, by: { tenantId, memberId } }, asked) {
    const { own } = await ask({ own: ownOf(tenantId, memberId) })
    return partOfOwn(own.rows, asked)
  },
})

/**
 * Begins the registration of an authenticator: options for `navigator.credentials.create`. The password begins that of
 * the first alone; any further one takes an assertion of one that is there, or where none is left the token of the link
 * that was mailed when the last one was revoked. Who was signed in by the organization's provider within 5 minutes needs
 * no password. The first, and by token, not within 24 hours of a reset.
 */
export const startRegistration = command({
  name: 'authenticators.startRegistration',
  doc: 'Begin the registration of an authenticator',
  right: null,
  takes: {
    use,
    password: optional(anyText(longest.password)),
    assertion: optional(changeAssertion),
    token: optional(anyText(longest.credentialData)),
    ...caller,
  },
  gives: object({ options: browserOptions, expiresAt: time }, 'AuthenticatorRegistration'),
  refuses: [
    'invalid_credentials',
    'too_many_attempts',
    'busy',
    'authentication_required',
    'signature_required',
    'signature_invalid',
    'forbidden',
    'authenticator_limit',
    'authenticator_revoked',
    'authenticator_cloned',
  ],
  around: async ({ by, tools }, input, run) => {
    const proofs = [input.password, input.assertion, input.token]
    const given = proofs.filter((proof) => proof !== undefined).length
    if (given > 1 || (given === 0 && by.providerAt === undefined))
      return refuseErrors([wrong('/password', 'expected a password, an assertion or a token')])
    if (given === 0 && !isFresh(by, tools.clock.now())) return notFresh()
    if (input.password === undefined) return run()
    // A throttle key of the member's own, of the kind that devices have; no login has the same.
    const keys = { device: `password of ${by.memberId}` }
    return tools.tries.logins.count(input, { keys, failure: 'invalid_credentials' }, run)
  },
  prepare: (lookup, given) => checkedPassword(lookup, given),
  async run(unit, { use, assertion, password, token }, passwordHash) {
    const { now, tools } = unit
    const { member, own } = await self(unit)
    // Another password came since this one was checked.
    if (password !== undefined && member.row.passwordHash !== passwordHash)
      unit.orRefuse(wrongPassword())
    const standing: Standing =
      token !== undefined ? 'lost' : assertion !== undefined ? 'further' : 'first'
    unit.orRefuse(mayEnrol(member.row, own, standing, now))
    if (token !== undefined && !isEnrolmentLink(tools, token, member.row, own, now))
      unit.refuse('forbidden', 'the link has ended, or was used; an admin has another one mailed')
    if (assertion)
      await proveChange(unit, { change: 'add', subject: null, settingDigest: null }, assertion, own)
    const { tenant } = await unit.ask({ tenant: tenants.get(member.row.tenantId) })
    const asked = {
      use,
      challenge: issueChallenge(tools, registrationPurpose(member.row, own, use, standing), now),
      attestation: conveyanceFor(modelsOf(tenant?.row ?? {}), use),
    }
    return {
      options: creationOptions(tools.relyingParty, member.row, asked, own),
      expiresAt: isoTime(now + challengeMs),
    }
  },
})

/**
 * Enrols an authenticator, whose registration was begun within 5 minutes. Mailed to the member, and that of an admin which
 * no other signed for to the other admins too.
 */
export const enrolAuthenticator = command({
  name: 'authenticators.enrol',
  doc: 'Enrol an authenticator; its member is told by mail',
  right: null,
  takes: { name: name(longest.label), use, credential: newCredential },
  gives: authenticatorShape,
  refuses: [
    'authentication_required',
    'signature_required',
    'signature_invalid',
    'forbidden',
    'authenticator_limit',
    'authenticator_not_allowed',
    'unavailable',
  ],
  async prepare({ orRefuse, tools }, { credential }) {
    const { authenticators: port, relyingParty } = tools
    if (!port) return orRefuse(refuse('unavailable', 'this service enrols no authenticators'))
    const challenge = challengeIn(credential)
    const given = { credential, challenge, ...relyingParty, now: tools.clock.now() }
    const registered = await port.verifyRegistration(given)
    return { challenge, registered: registered ?? orRefuse(unverified()) }
  },
  async run(unit, { name, use }, { challenge, registered }) {
    const { now, tools } = unit
    const { member, own } = await self(unit)
    const standing = standings.find(
      (each) =>
        challengeTime(
          tools.sealer,
          challenge,
          registrationPurpose(member.row, own, use, each),
          now,
        ) !== null,
    )
    if (!standing) return unit.orRefuse(unverified())
    unit.orRefuse(mayEnrol(member.row, own, standing, now))
    const { known, tenant } = await unit.ask({
      known: enrolled(registered.credentialId),
      tenant: tenants.get(member.row.tenantId),
    })
    if (known) return unit.orRefuse(unverified())
    if (use === 'signing') unit.orRefuse(maySign(modelsOf(tenant?.row ?? {}), registered))
    const row = {
      ...{ tenantId: member.row.tenantId, memberId: member.row.memberId },
      ...{ authenticatorId: unit.id('aut'), name, use, ...registered },
      rpId: tools.relyingParty.rpId,
      weakensFrom: weakensFrom(standing, own, now),
      ...{ createdAt: now, lastUsedAt: null, revokedAt: null },
    }
    unit.put(authenticators, row)
    const has =
      use === 'signing' ? { signsDecisions: true as const } : { closesPassword: true as const }
    const { enrolmentAllowed: _, ...rest } = member.row
    unit.put(members, { ...rest, ...has, updatedAt: now }, member)
    const { authenticatorId, credentialId, aaguid, attestedBy } = row
    unit.audit('authenticator.enrolled', authenticatorId, {
      ...{ memberId: row.memberId, use, credentialId, aaguid, attestedBy },
      publicKey: JSON.stringify(row.publicKey),
    })
    unit.mail({
      to: member.row.email,
      subject: 'An authenticator was added to your account',
      text: `"${name}" can now ${use === 'signing' ? 'sign decisions' : 'sign in'} in your name. If this was not you, tell an admin of your organization.\n`,
    })
    if (standing !== 'further') await tellOtherAdmins(unit, member.row)
    return authenticatorView(row)
  },
})

/** Renames an own authenticator. */
export const renameAuthenticator = command({
  name: 'authenticators.rename',
  doc: 'Rename an own authenticator',
  right: null,
  takes: { ...id, name: name(longest.label) },
  gives: authenticatorShape,
  refuses: ['not_found'],
  async run(unit, { authenticatorId, name }) {
    const { tenantId, memberId } = unit.by
    const { was } = await unit.ask({ was: authenticators.get(tenantId, memberId, authenticatorId) })
    if (!was) return unit.refuse('not_found', 'no such authenticator')
    const row = { ...was.row, name }
    if (name !== was.row.name) unit.put(authenticators, row, was)
    return authenticatorView(row)
  },
})

/** The statement that an authenticator which is there signs for a change. Writes nothing. */
export const stateChange = reading({
  name: 'authenticators.stateChange',
  doc: 'Get the statement of a change, to be signed',
  right: null,
  takes: { change, subject, settingDigest: setting },
  also: ({ change, settingDigest }) =>
    (change === 'weaken') === (settingDigest !== null)
      ? []
      : [wrong('/settingDigest', 'expected the digest of what is set for `weaken`, else null')],
  gives: object(
    { statement: changeStatementShape, options: browserOptions, expiresAt: time },
    'AuthenticatorChangeStatement',
  ),
  refuses: ['invalid_request', 'signature_required'],
  async run({ ask, refuse, by, tools }, asked) {
    const { own } = await ask({ own: ownOf(by.tenantId, by.memberId) })
    const keys = own.rows.map(({ row }) => row).filter(({ revokedAt }) => revokedAt === null)
    if (keys.length === 0)
      return refuse('signature_required', 'expected an authenticator that signs it')
    return changeStatement(tools, by, asked, { now: tools.clock.now(), asked: keys })
  },
})

/**
 * Revokes an own authenticator, by an assertion of one that is there, this one or another; by the only admin, whom nobody
 * else can help after a loss, also by their password, or a sign-in by the organization's provider within 5 minutes. Mailed
 * to the member.
 */
export const revokeAuthenticator = command({
  name: 'authenticators.revoke',
  doc: 'Revoke an own authenticator; its member is told by mail',
  right: null,
  takes: { ...id, ...proof },
  gives: authenticatorShape,
  refuses: ['not_found', 'authentication_required', 'signature_required', 'forbidden', ...ofProof],
  around: async ({ by, tools }, given, run) => {
    const isByProvider = given.password === undefined && given.assertion === undefined
    if (!isByProvider || by.providerAt === undefined)
      return countingProof({ by, tools }, given, run)
    return isFresh(by, tools.clock.now()) ? run() : notFresh()
  },
  prepare: (lookup, given) => checkedPassword(lookup, given),
  async run(unit, { authenticatorId, assertion, password }, passwordHash) {
    const { member, own } = await self(unit)
    const was = own.find(({ row }) => row.authenticatorId === authenticatorId)
    if (!was) return unit.refuse('not_found', 'no such authenticator')
    if (was.row.revokedAt !== null) return authenticatorView(was.row)
    if (!assertion) {
      const { roster } = await unit.ask({ roster: rosters.get(member.row.tenantId) })
      unit.orRefuse(mayRevokeByPassword(member.row, roster?.row ?? { admins: [] }, unit.now))
      // Another password came since this one was checked.
      if (password !== undefined && member.row.passwordHash !== passwordHash)
        unit.orRefuse(wrongPassword())
      return revoke(unit, member, was, own)
    }
    const expected = { change: 'remove', subject: authenticatorId, settingDigest: null } as const
    const signer = await provingOf(unit, expected, assertion, own)
    if (signer.was === was) return revoke(unit, member, was, own, signer.row)
    unit.put(authenticators, signer.row, signer.was)
    return revoke(unit, member, was, own)
  },
})

/** What members do about their own authenticators. */
export const authenticatorOperations = [
  listAuthenticators,
  startRegistration,
  enrolAuthenticator,
  renameAuthenticator,
  stateChange,
  revokeAuthenticator,
] as const
