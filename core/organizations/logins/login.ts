import { bytesToHex } from '@noble/hashes/utils.js'
import type { DeviceClaims, PasswordQueue, SessionClaims } from '../../base/ports/secrets.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { Afterwards, operationsWith } from '../../kernel/operation.ts'
import { anyText } from '../../kernel/shape.ts'
import { addressBlocks, addressKey } from '../access/address-key.ts'
import { caller, type LoginCaller } from '../access/caller.ts'
import { emailKeyOf, isPossibleEmail } from '../access/email.ts'
import { type LoginView, loginShape, memberView } from '../access/present.ts'
import { type Member, members, tenants } from '../access/records.ts'
import type { AccessTools } from '../access/tools.ts'
import { memberByEmail, tooManyHashes } from '../members/new-member.ts'
import { isPossible, normalPassword } from '../passwords/password.ts'
import { mustUseProvider, signInProviders } from '../providers/records.ts'
import { deviceSubject } from './devices.ts'
import type { LoginOutcome } from './login-throttle.ts'
import { accountSuspended } from './sessions.ts'
import { opens } from './sign-in-rule.ts'

/** A session token is valid for 24 hours (interface, Limits). */
const sessionSeconds = 24 * 60 * 60

const { command } = operationsWith<AccessTools>()

/** Issues a session. */
export const login = command({
  name: 'auth.login',
  doc: 'Log a member in',
  by: 'anyone',
  right: null,
  takes: { email: anyText(longest.email), password: anyText(longest.password), ...caller },
  gives: loginShape,
  refuses: ['invalid_credentials', 'account_suspended', 'too_many_attempts', 'busy'],
  async around({ tools }, input, run) {
    const { email, address } = input
    const returning = await tools.tries.logins.devices.returning(input)
    // An impossible address is not counted: no member has it, and its entries would displace those of real ones.
    const subject = isPossibleEmail(email) ? deviceSubject(emailKeyOf(email)) : null
    const keys = returning
      ? { device: returning.deviceId }
      : { email: subject, address: addressKey(address) }
    // A right password that opens no session (`account_suspended`) neither counts as a failure nor resets them.
    const failure = 'invalid_credentials'
    const decided = (outcome: LoginOutcome) => tools.observer.event('login', { outcome })
    return tools.tries.logins.count(input, { keys, failure, decided }, run)
  },
  async prepare({ tools, orRefuse }, input) {
    const returning = await tools.tries.logins.devices.returning(input)
    const member =
      isPossibleEmail(input.email) && isPossible(input.password)
        ? await (returning ? verified(tools, input, 'known') : verifiedInTurn(tools, input))
        : null
    return { member: orRefuse(member ?? invalidCredentials()), returning }
  },
  within: ({ member }) => member.tenantId,
  async run(unit, { email }, { member, returning }) {
    const { tenantId, memberId, sessionVersion } = member
    const { now, tenant, provider } = await unit.ask({
      now: members.get(tenantId, memberId),
      tenant: tenants.get(tenantId),
      provider: signInProviders.get(tenantId),
    })
    if (mustUseProvider(provider?.row ?? null, memberId)) return unit.orRefuse(invalidCredentials())
    // Deactivated, or with another password, since it was verified.
    if (now?.row.status !== 'Active' || now.row.sessionVersion !== sessionVersion)
      return unit.orRefuse(invalidCredentials())
    if (tenant && !opens('password', tenant.row, now.row))
      return unit.orRefuse(invalidCredentials())
    if (tenant?.row.status !== 'active') return unit.orRefuse(accountSuspended())
    const device = returning ? 'known' : 'new'
    unit.audit('member.logged_in', memberId, { device }, tenantId, `member:${memberId}`)
    const subject = deviceSubject(emailKeyOf(email))
    return new Afterwards(async () =>
      unit.orRefuse(await issue(unit.tools, member, subject, returning)),
    )
  },
})

interface Credentials extends LoginCaller {
  readonly email: string
  readonly password: string
}

/**
 * The member whose password it is. Does the same work for known and unknown addresses, and answers null alike to a wrong
 * password, an unknown address and a suspended member. Refuses with `busy`.
 */
async function verified(
  { ledger, passwords, tries }: AccessTools,
  { email, password, signal }: Credentials,
  queue: PasswordQueue,
): Promise<Result<Member, 'busy'> | null> {
  const [found] = await ledger.read(null, [memberByEmail(email)])
  const member = one(members, found)?.row ?? null
  const active = member?.status === 'Active' ? member : null
  const hash = active?.passwordHash ?? null
  const matches = await passwords.verify(normalPassword(password), hash, queue, signal)
  if (matches === null) return tooManyHashes()
  if (matches && active) return ok(active)
  if (member) tries.failures.record(member)
  return null
}

/** As `verified`, once it is a stranger's turn. */
async function verifiedInTurn(tools: AccessTools, input: Credentials): ReturnType<typeof verified> {
  const turn = await tools.tries.admission.enter(addressBlocks(input.address), input.signal)
  if (!turn) return tooManyHashes()
  let outcome: LoginOutcome = 'undecided'
  try {
    const member = await verified(tools, input, 'strangers')
    if (!member) outcome = 'failed'
    else if (member.ok) outcome = 'succeeded'
    return member
  } finally {
    turn.leave(outcome)
  }
}

/** By what a member signed in, where it was no password. */
export type SignInMeans = Pick<SessionClaims, 'authenticatorId' | 'providerAt'>

/** Issues a session of a member who signed in, and a token for their device. */
export async function issue(
  { ledger, clock, random, tokens, tries }: AccessTools,
  member: Member,
  subject: string,
  known: DeviceClaims | null,
  means: SignInMeans = {},
): Promise<Result<LoginView, 'account_suspended'>> {
  const { tenantId, memberId, sessionVersion } = member
  const [found] = await ledger.read(tenantId, [get(tenants, [tenantId])])
  if (one(tenants, found)?.row.status !== 'active') return accountSuspended()
  const issuedAt = Math.floor(clock.now() / 1000)
  const expiresAt = issuedAt + sessionSeconds
  const tokenId = bytesToHex(random.bytes(16))
  const claims = { memberId, tenantId, sessionVersion, tokenId, ...means, issuedAt, expiresAt }
  return ok({
    token: await tokens.issue(claims),
    member: memberView(member),
    tenantId,
    expiresAt: isoTime(expiresAt * 1000),
    device: await tries.logins.devices.issue(subject, known),
  })
}

function invalidCredentials(): ReturnType<typeof refuse<'invalid_credentials'>> {
  return refuse('invalid_credentials', 'the e-mail address or the password is wrong')
}
