import type { DeviceClaims } from '../../base/ports/secrets.ts'
import type { Versioned } from '../../base/ports/store.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { refuse } from '../../kernel/ledger/refusal.ts'
import { object } from '../../kernel/members.ts'
import { Afterwards, operationsWith } from '../../kernel/operation.ts'
import { anyText, just, line, type RowsOf, text, time } from '../../kernel/shape.ts'
import { fromHost, optional } from '../../kernel/wrap.ts'
import { base64Url } from '../../proof/signing/encoding.ts'
import { challengeOf } from '../../proof/webauthn/statement.ts'
import { verifySignedChallenge } from '../../proof/webauthn/verify-assertion.ts'
import { caller } from '../access/caller.ts'
import { emailKeyOf } from '../access/email.ts'
import { loginShape } from '../access/present.ts'
import { members, spentStatements, tenants } from '../access/records.ts'
import type { AccessTools } from '../access/tools.ts'
import { assertionMembers, used, writtenTime } from '../authenticators/assertion.ts'
import { challengeMs, challengeTime, issueChallenge } from '../authenticators/challenges.ts'
import { type Authenticator, authenticators } from '../authenticators/records.ts'
import { userIdOf } from '../authenticators/registration.ts'
import { browserOptions, requestOptions } from '../authenticators/relying-party.ts'
import { enrolled } from '../authenticators/unit.ts'
import { mustUseProvider, signInProviders } from '../providers/records.ts'
import { deviceSubject } from './devices.ts'
import { issue } from './login.ts'
import type { LoginOutcome } from './login-throttle.ts'
import { accountSuspended } from './sessions.ts'
import { opens } from './sign-in-rule.ts'

const { command, reading } = operationsWith<AccessTools>()
const nonceBytes = 32

/** What is signed to sign in: the challenge is the SHA-256 of its canonical JSON, which no decision has. */
const signIn = {
  statementVersion: just('1.0'),
  statementType: just('sign-in'),
  issuedAt: writtenTime,
  nonce: line(longest.id),
}
const begun = {
  statement: object(signIn, 'SignIn'),
  options: browserOptions,
  expiresAt: time,
}
/** A sign-in that was begun, as a browser is asked for it. */
export const begunSignIn = object(begun, 'BegunSignIn')

/** Begins a sign-in by a passkey, of whomever: nobody is named, and nothing is stored. */
export const startPasskeySignIn = reading({
  name: 'auth.startPasskey',
  doc: 'Begin a sign-in by a passkey',
  by: 'anyone',
  right: null,
  takes: {},
  /** `browserToken`: for the browser to keep and to send with the answer of its authenticator, and for no page to read. */
  gives: object({ ...begun, browserToken: text(longest.secret) }, 'NewSignIn'),
  refuses: [],
  async run({ tools }) {
    const now = tools.clock.now()
    const statement = {
      ...{ statementVersion: '1.0' as const, statementType: 'sign-in' as const },
      ...{ issuedAt: isoTime(now), nonce: base64Url(tools.random.bytes(nonceBytes)) },
    }
    return {
      statement,
      options: requestOptions(tools.relyingParty, challengeOf(statement), []),
      expiresAt: isoTime(now + challengeMs),
      browserToken: issueChallenge(tools, purposeOf(statement), now),
    }
  },
})

const credential = object({
  statement: object(signIn),
  ...assertionMembers,
  /** Of whom the authenticator says that the credential is; unpadded base64url. */
  userHandle: anyText(longest.credentialId),
})

/**
 * Issues a session to the member whose passkey signed a sign-in that this browser began within 5 minutes, once. Whatever
 * is wrong is refused alike, but for a copy of the passkey.
 */
export const signInByPasskey = command({
  name: 'auth.passkey',
  doc: 'Log a member in by their passkey',
  by: 'anyone',
  right: null,
  takes: { credential, ...caller, browserToken: optional(fromHost<string | null>()) },
  gives: loginShape,
  refuses: [
    'invalid_credentials',
    'account_suspended',
    'authenticator_cloned',
    'too_many_attempts',
    'busy',
  ],
  around: ({ tools }, input, run) =>
    tools.tries.logins.count(
      input,
      {
        failure: 'invalid_credentials',
        decided: (outcome: LoginOutcome) => tools.observer.event('login', { outcome }),
      },
      run,
    ),
  async prepare({ ask, orRefuse, tools }, input): Promise<{ readonly passkey: Authenticator }> {
    const { credential } = input
    const { found } = await ask({ found: enrolled(credential.credentialId) })
    if (found && isSigned(tools, input, found)) return { passkey: found.row }
    if (found) tools.tries.failures.record(found.row)
    return orRefuse(notSignedIn())
  },
  within: ({ passkey }) => passkey.tenantId,
  async run(unit, { credential, device }, { passkey }) {
    const { tenantId, memberId, authenticatorId } = passkey
    const { nonce } = credential.statement
    const { member, tenant, was, spent, provider } = await unit.ask({
      member: members.get(tenantId, memberId),
      tenant: tenants.get(tenantId),
      was: authenticators.get(tenantId, memberId, authenticatorId),
      spent: spentStatements.get(tenantId, nonce),
      provider: signInProviders.get(tenantId),
    })
    if (mustUseProvider(provider?.row ?? null, memberId)) return unit.orRefuse(notSignedIn())
    if (member?.row.status !== 'Active' || !was || was.row.revokedAt !== null || spent)
      return unit.orRefuse(notSignedIn())
    if (tenant && !opens('passkey', tenant.row, member.row)) return unit.orRefuse(notSignedIn())
    if (tenant?.row.status !== 'active') return unit.orRefuse(accountSuspended())
    const row = unit.orRefuse(used(was, credential.authenticatorData, unit.now))
    unit.put(authenticators, row, was)
    unit.put(spentStatements, { tenantId, nonce, spentAt: unit.now })
    const { email } = member.row
    const known: DeviceClaims | null = await unit.tools.tries.logins.devices.returning({
      ...{ email, device },
    })
    const detail = { device: known ? 'known' : 'new', authenticatorId }
    unit.audit('member.logged_in', memberId, detail, tenantId, `member:${memberId}`)
    const subject = deviceSubject(emailKeyOf(email))
    return new Afterwards(async () =>
      unit.orRefuse(await issue(unit.tools, member.row, subject, known, { authenticatorId })),
    )
  },
})

interface Answer {
  readonly credential: RowsOf<typeof signInByPasskey.takes>['credential']
  readonly browserToken?: string | null | undefined
}

/** Whether a sign-in that this browser began was signed by the passkey, as that of its member. */
function isSigned(
  { sealer, relyingParty, clock }: AccessTools,
  { credential, browserToken }: Answer,
  { row: passkey }: Versioned<Authenticator>,
): boolean {
  const { statement, userHandle } = credential
  if (passkey.use !== 'sign_in' || userHandle !== userIdOf(passkey, 'sign_in')) return false
  const issued = challengeTime(sealer, browserToken ?? '', purposeOf(statement), clock.now())
  if (issued === null || isoTime(issued) !== statement.issuedAt) return false
  return verifySignedChallenge({
    challenge: challengeOf(statement),
    signature: credential,
    credential: passkey,
    rpId: passkey.rpId,
    origins: relyingParty.origins,
  }).ok
}

/** What binds a sign-in to the browser that began it. */
function purposeOf({ nonce }: Pick<RowsOf<typeof signIn>, 'nonce'>) {
  return ['sign-in', nonce]
}

function notSignedIn(): ReturnType<typeof refuse<'invalid_credentials'>> {
  return refuse(
    'invalid_credentials',
    'expected the answer of a passkey to a sign-in that this browser began within 5 minutes, once',
  )
}
