import { unwrap } from '@countersign/core'
import {
  type AccessDeps,
  type AccessTries,
  applicationKeys,
  countedLetters,
  createAccess,
  createAccessTries,
  createResetSending,
  customerKeys,
  failedTries,
  invitationExpiry,
  invitations,
  type LoginView,
  loginFailureAudit,
  members,
  passwordResets,
  rosters,
  tenants,
} from '@countersign/core/access'
import { auditLog, createLedger, type Ledger, type Result } from '@countersign/core/ledger'
import { type Mailer, type Passwords, silentObserver } from '@countersign/core/ports'
import {
  createManualClock,
  createMemoryStore,
  type ManualClock,
  plainPasswords,
  plainSealer,
  plainSessionTokens,
  type StoreFaults,
  scriptedEgress,
  seededRandom,
} from '@countersign/core/testing'
import { applicationKeyOperations } from '../../../applications/application-keys.ts'
import { callbackOperations } from '../../../applications/callback-operations.ts'
import {
  createWholeCustomerKeys,
  customerKeyOperations,
} from '../../../applications/customer-keys.ts'
import { applicationHealths } from '../../../applications/health.ts'
import { applicationOperations } from '../../../applications/operations.ts'
import { applications } from '../../../applications/records.ts'
import { openGroups } from '../../../kernel/facade.ts'
import { createMailHandler, createPost, owedMails } from '../../../kernel/mail/index.ts'
import { createRunner, workItems } from '../../../kernel/work/index.ts'
import { createKernelPorts } from '../../../kernel-ports.ts'
import { contactOf } from '../../../organizations/access/contact.ts'
import { endedSessions } from '../../../organizations/access/records.ts'
import { authenticators } from '../../../organizations/authenticators/records.ts'
import { relyingPartyOf } from '../../../organizations/authenticators/relying-party.ts'
import { providerIdentities, signInProviders } from '../../../organizations/providers/records.ts'
import { noIntake } from '../../../outbox/kind.ts'
import { sweepPut } from '../../../review/callback/callback-sweep.ts'
import { groups } from '../../../rooms.ts'
import { owingOn } from '../../owing.ts'

export const start = Date.UTC(2026, 0, 1)
export const password = 'correct horse battery'
export const system = { kind: 'system' } as const

export const value = unwrap

export function code(result: Result<unknown>): string {
  return result.ok ? 'ok' : result.refusal.code
}

/** Access and applications on the memory store, with an organization of an admin and a reviewer. */
export async function createFixture(
  options: {
    readonly passwords?: Passwords
    readonly mailer?: Mailer
    readonly clock?: ManualClock
    /** Puts something wrong between the room and its ledger. */
    readonly wrap?: (ledger: Ledger) => Ledger
  } = {},
) {
  let faults: StoreFaults = () => {}
  const store = createMemoryStore({
    faults: (point, operation) => faults(point, operation),
    collections: [
      tenants,
      members,
      rosters,
      endedSessions,
      invitations,
      passwordResets,
      countedLetters,
      failedTries,
      owedMails,
      workItems,
      applicationKeys,
      customerKeys,
      authenticators,
      signInProviders,
      providerIdentities,
      applications,
      applicationHealths,
    ],
    logs: [auditLog],
  })
  const { clock = createManualClock(start) } = options
  const random = seededRandom(1)
  const sealer = plainSealer()
  const { wrap = (right) => right } = options
  const ledger = wrap(createLedger({ store, clock, random }))
  const mailer = options.mailer && { mailer: options.mailer }
  const observed: string[] = []
  const runner = createRunner({
    ledger,
    clock,
    observer: silentObserver,
    handlers: [
      invitationExpiry,
      loginFailureAudit,
      createResetSending({ portalUrl: 'https://portal.example' }),
      createMailHandler({
        ...mailer,
        sealer,
        clock,
        contactOf,
        observer: {
          event: (name, facts) => void observed.push(`${name} ${JSON.stringify(facts)}`),
        },
      }),
    ],
    owing: owingOn(ledger, createPost({ ...mailer, sealer })),
    options: { owner: 'runner' },
  })
  const counts = { reads: 0 }
  const accessPorts: AccessDeps = {
    ledger: {
      ...ledger,
      read: (...given) => {
        counts.reads++
        return ledger.read(...given)
      },
    },
    clock,
    random,
    passwords: options.passwords ?? plainPasswords(),
    tokens: plainSessionTokens(),
    observer: silentObserver,
    post: createPost({ ...mailer, sealer }),
    portalUrl: 'https://portal.example',
    sealer,
    relyingParty: relyingPartyOf('https://portal.example'),
  }
  const tries = createAccessTries(accessPorts)
  const opened = (tries: AccessTries) =>
    openGroups(
      {
        ...{ auditLog: groups.auditLog, auth: groups.auth, entitlements: groups.entitlements },
        ...{ invitations: groups.invitations, members: groups.members },
        ...{ profile: groups.profile, tenants: groups.tenants },
      },
      createKernelPorts({ ...accessPorts, intake: noIntake }),
      { ...accessPorts, tries, deletionGraceMs: 0 },
    )
  const accessOf = (tries: AccessTries) => {
    const { auth, members, tenants } = opened(tries)
    const made = { createTenant: tenants.create, createMember: members.create }
    return { ...createAccess(accessPorts, tries), ...auth, ...made }
  }
  const service = opened(tries)
  const access = accessOf(tries)
  const ports = {
    ledger,
    clock,
    random,
    sealer,
    egress: scriptedEgress((url) => (url.includes('private') ? 'a private address' : null)),
    publicKeyOf: async (tenantId: string) => `whpk_of_${tenantId}`,
    endCallbacks: sweepPut,
  }
  const operations = openGroups(
    {
      applicationKeys: applicationKeyOperations,
      applications: [...applicationOperations, ...callbackOperations],
      customerKeys: customerKeyOperations,
    },
    createKernelPorts({ ledger, intake: { offer: () => null }, post: accessPorts.post }),
    ports,
  )
  const made = value(
    await access.createTenant(system, {
      name: 'Acme',
      admin: { name: 'Ada', email: 'ada@acme.example', password },
    }),
  )
  const { tenantId } = made.tenant
  const reviewer = value(
    await access.createMember(system, {
      tenantId,
      name: 'Rob',
      email: 'rob@acme.example',
      password,
      role: 'CustomerAuditor',
      permissions: ['Review Cases'],
    }),
  )

  const login = (email: string): Promise<Result<LoginView>> =>
    access.login({ email, password, address: '192.0.2.1' })
  const actorOf = async (email: string) =>
    value(await access.authenticateMember(value(await login(email)).token))

  return {
    /** The operations of these rooms. */
    service,
    access,
    tries,
    /** The use cases of another process on the same store. */
    restarted: () => accessOf(createAccessTries(accessPorts)),
    applications: operations.applications,
    applicationKeys: operations.applicationKeys,
    customerKeys: { ...operations.customerKeys, ...createWholeCustomerKeys(ports) },
    store,
    ledger,
    counts,
    clock,
    sealer,
    runner,
    /** What the mail handler told, each as a line. */
    observed,
    /** From now on every operation of the store passes these. */
    break: (given: StoreFaults) => {
      faults = given
    },
    tenantId,
    admin: made.admin,
    reviewer,
    login,
    actorOf,
    /** Actions of the tenant's audit log, oldest first. */
    audited: async () => {
      const [found] = await store.read(tenantId, [
        { log: auditLog.name, partition: tenantId, after: 0, take: 1000 },
      ])
      return (found?.rows ?? []).map(({ row }) => {
        const { entry } = row as { readonly entry: Uint8Array }
        return JSON.parse(new TextDecoder().decode(entry)) as {
          readonly action: string
          readonly actor: string
          readonly subject: string
          readonly detail: Readonly<Record<string, unknown>>
        }
      })
    },
  }
}

export type Fixture = Awaited<ReturnType<typeof createFixture>>
