import { bytesToHex } from '@noble/hashes/utils.js'
import { isoTime } from '../ledger/iso-time.ts'
import { get, one } from '../ledger/reads.ts'
import { ok, type Result, refuse } from '../ledger/refusal.ts'
import { addressKey } from './address-key.ts'
import { checkText } from './check-text.ts'
import { emailKeyOf } from './email.ts'
import { createLoginThrottle, type LoginOutcome } from './login-throttle.ts'
import { memberByEmail, tooManyHashes } from './new-member.ts'
import { isPossible, normalPassword } from './password.ts'
import type { AccessPorts } from './ports.ts'
import { memberView } from './present.ts'
import { type Member, members, tenants } from './records.ts'
import { accountSuspended } from './sessions.ts'
import type { AccessUseCases } from './use-cases.ts'
import type { LoginView } from './view.ts'

/** Contract, Limits: a portal token is valid for 24 hours. */
const sessionSeconds = 24 * 60 * 60

/** Login with the throttle of this process. */
export function createLogin(ports: AccessPorts): AccessUseCases['login'] {
  const { ledger, clock, passwords, observer } = ports
  const throttle = createLoginThrottle()

  /** Does the same work whether the address is known or not, and says the same of a wrong password, an unknown address and a member who was suspended. */
  async function verified(email: string, password: string): Promise<Result<Member> | null> {
    const [found] = await ledger.read(null, [memberByEmail(email)])
    const member = one(members, found)?.row ?? null
    const active = member?.status === 'Active' ? member : null
    const matches = await passwords.verify(normalPassword(password), active?.passwordHash ?? null)
    if (matches === null) return tooManyHashes()
    return matches && active ? ok(active) : null
  }

  return async ({ email, password, address }) => {
    // No member has such an address, and no store takes all of them.
    if (checkText(email, '/email', 1000).length > 0 || !isPossible(password))
      return invalidCredentials()
    const tried = throttle.begin(emailKeyOf(email), addressKey(address), clock.monotonic())
    if (tried.kind === 'wait') {
      observer.event('login', { outcome: 'throttled' })
      return refuse('too_many_attempts', `too many failed attempts, try in ${tried.retryAfter} s`, {
        retryAfter: tried.retryAfter,
      })
    }
    let outcome: LoginOutcome = 'undecided'
    try {
      const member = await verified(email, password)
      if (member && !member.ok) return member
      outcome = member ? 'succeeded' : 'failed'
      return member ? await issue(ports, member.value) : invalidCredentials()
    } finally {
      tried.end(outcome, clock.monotonic())
      observer.event('login', { outcome })
    }
  }
}

async function issue(ports: AccessPorts, member: Member): Promise<Result<LoginView>> {
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
  })
}

function invalidCredentials(): ReturnType<typeof refuse> {
  return refuse('invalid_credentials', 'the e-mail address or the password is wrong')
}
