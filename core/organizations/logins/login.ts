import { bytesToHex } from '@noble/hashes/utils.js'
import type { CallerSignal, DeviceClaims, PasswordQueue } from '../../base/ports/secrets.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { commit, refusal } from '../../kernel/ledger/ledger.ts'
import { get, one, unchanged } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { addressBlocks, addressKey } from '../access/address-key.ts'
import type { AccessDeps } from '../access/deps.ts'
import { emailKeyOf, isPossibleEmail } from '../access/email.ts'
import { memberView } from '../access/present.ts'
import { type Member, members, tenants } from '../access/records.ts'
import type { AccessUseCases } from '../access/use-cases.ts'
import type { LoginCaller, LoginView } from '../access/view.ts'
import { memberByEmail, tooManyHashes } from '../members/new-member.ts'
import { isPossible, normalPassword } from '../passwords/password.ts'
import { deviceSubject } from './devices.ts'
import { createLoginAdmission } from './login-admission.ts'
import { createLoginFailures, loginEntry } from './login-audit.ts'
import type { LoginOutcome } from './login-throttle.ts'
import { accountSuspended } from './sessions.ts'
import type { Tries } from './tries.ts'

/** Contract, Limits: a portal token is valid for 24 hours. */
const sessionSeconds = 24 * 60 * 60

type LoginUseCases = Pick<AccessUseCases, 'login' | 'admitLogin' | 'rejectLogin' | 'knownDevice'>

/** Login, whose tries are throttled. */
export function createLogin(ports: AccessDeps, tries: Tries): LoginUseCases {
  const { ledger, passwords, observer } = ports
  const { devices } = tries
  const admission = createLoginAdmission(ports.clock)
  const failures = createLoginFailures(ports)

  /**
   * Does the same work for known and unknown addresses, and answers alike to a wrong password, an unknown address and a
   * suspended member.
   */
  async function verified(
    email: string,
    password: string,
    queue: PasswordQueue,
    signal: CallerSignal | undefined,
  ): Promise<Result<Member> | null> {
    const [found] = await ledger.read(null, [memberByEmail(email)])
    const member = one(members, found)?.row ?? null
    const active = member?.status === 'Active' ? member : null
    const hash = active?.passwordHash ?? null
    const matches = await passwords.verify(normalPassword(password), hash, queue, signal)
    if (matches === null) return tooManyHashes()
    if (matches && active) return ok(active)
    if (member) failures.record(member)
    return null
  }

  /** As `verified`, once it is a stranger's turn. */
  async function verifiedInTurn(
    { address, signal }: LoginCaller,
    email: string,
    password: string,
  ): Promise<Result<Member> | null> {
    const turn = await admission.enter(addressBlocks(address), signal)
    if (!turn) return tooManyHashes()
    let outcome: LoginOutcome = 'undecided'
    try {
      const member = await verified(email, password, 'strangers', signal)
      if (!member) outcome = 'failed'
      else if (member.ok) outcome = 'succeeded'
      return member
    } finally {
      turn.leave(outcome)
    }
  }

  /** A session of the member, audited; the refusal where none was verified. */
  async function granted(
    member: Result<Member>,
    subject: string,
    returning: DeviceClaims | null,
  ): Promise<Result<LoginView>> {
    if (!member.ok) return member
    const grants = await grant(ports, member.value, returning ? 'known' : 'new')
    if (!grants.ok) return grants
    return issue(ports, member.value, () => devices.issue(subject, returning))
  }

  return {
    knownDevice: async (token) => (await devices.recognize(token))?.subject ?? null,
    admitLogin: tries.admit,
    rejectLogin: tries.reject,
    login: async ({ email, password, ...caller }) => {
      const { address, device, signal } = caller
      const subject = deviceSubject(emailKeyOf(email))
      const known = await devices.recognize(device)
      const returning = known?.subject === subject ? known : null
      // No member has such an address, and a store may reject it as malformed; counted, it would displace others.
      const possible = isPossibleEmail(email)
      const keys = returning
        ? { device: returning.deviceId }
        : { email: possible ? subject : null, address: addressKey(address) }
      const tried = await tries.begin(caller, keys)
      if (!tried.ok) return tried
      let outcome: LoginOutcome = 'undecided'
      try {
        const member =
          possible && isPossible(password)
            ? await (returning
                ? verified(email, password, 'known', signal)
                : verifiedInTurn(caller, email, password))
            : null
        const issued = await granted(member ?? invalidCredentials(), subject, returning)
        // A right password that opens no session forgives no failures.
        if (issued.ok) outcome = 'succeeded'
        else if (issued.refusal.code === 'invalid_credentials') outcome = 'failed'
        return issued
      } finally {
        tried.value(outcome)
        observer.event('login', { outcome })
      }
    },
  }
}

/** Audits the login of a member whose password was verified, as they are now. */
async function grant(
  { ledger }: AccessDeps,
  verified: Member,
  device: 'known' | 'new',
): Promise<Result<null>> {
  const { tenantId, memberId, sessionVersion } = verified
  return ledger.execute<null>(tenantId, async ({ now, read }) => {
    const [found, foundTenant] = await read([
      get(members, [tenantId, memberId]),
      get(tenants, [tenantId]),
    ])
    const member = one(members, found)
    const tenant = one(tenants, foundTenant)
    // Deactivated, or with another password, since it was verified.
    if (member?.row.status !== 'Active' || member.row.sessionVersion !== sessionVersion)
      return refusal(invalidCredentials())
    if (tenant?.row.status !== 'active') return refusal(accountSuspended())
    return commit(
      {
        checks: [unchanged(members, member), unchanged(tenants, tenant)],
        appends: [loginEntry(member.row, device, now)],
      },
      null,
    )
  })
}

/** Issues a session of a member whose password was verified. */
export async function issue(
  ports: AccessDeps,
  member: Member,
  issueDevice: () => Promise<LoginView['device']>,
): Promise<Result<LoginView>> {
  const { tenantId, memberId, sessionVersion } = member
  const [found] = await ports.ledger.read(tenantId, [get(tenants, [tenantId])])
  if (one(tenants, found)?.row.status !== 'active') return accountSuspended()
  const issuedAt = Math.floor(ports.clock.now() / 1000)
  const expiresAt = issuedAt + sessionSeconds
  const tokenId = bytesToHex(ports.random.bytes(16))
  const claims = { memberId, tenantId, sessionVersion, tokenId, issuedAt, expiresAt }
  const token = await ports.tokens.issue(claims)
  return ok({
    token,
    member: memberView(member),
    tenantId,
    expiresAt: isoTime(expiresAt * 1000),
    device: await issueDevice(),
  })
}

function invalidCredentials(): ReturnType<typeof refuse> {
  return refuse('invalid_credentials', 'the e-mail address or the password is wrong')
}
