import {
  applicationKeys,
  createAccess,
  customerKeys,
  type LoginView,
  members,
  rosters,
  tenants,
} from '@countersign/core/access'
import { auditLog, createLedger, type Result } from '@countersign/core/ledger'
import { type Passwords, silentObserver } from '@countersign/core/ports'
import {
  createManualClock,
  createMemoryStore,
  plainPasswords,
  plainSealer,
  plainSessionTokens,
  scriptedEgress,
  seededRandom,
} from '@countersign/core/testing'
import { endedSessions } from '../../access/records.ts'
import {
  createApplicationKeys,
  createApplications,
} from '../../applications/create-applications.ts'
import { applications } from '../../applications/records.ts'

export const start = Date.UTC(2026, 0, 1)
export const password = 'correct horse battery'
export const system = { kind: 'system' } as const

export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.refusal)}`)
  return result.value
}

export function code(result: Result<unknown>): string {
  return result.ok ? 'ok' : result.refusal.code
}

/** Access and applications on the memory store, with an organization of an admin and a reviewer. */
export async function createFixture(options: { readonly passwords?: Passwords } = {}) {
  const store = createMemoryStore({
    collections: [
      tenants,
      members,
      rosters,
      endedSessions,
      applicationKeys,
      customerKeys,
      applications,
    ],
    logs: [auditLog],
  })
  const clock = createManualClock(start)
  const random = seededRandom(1)
  const sealer = plainSealer()
  const ledger = createLedger({ store, clock, random })
  const counts = { reads: 0 }
  const access = createAccess({
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
  })
  const ports = {
    ledger,
    clock,
    random,
    sealer,
    egress: scriptedEgress((url) => (url.includes('private') ? 'a private address' : null)),
    publicKeyOf: async (tenantId: string) => `whpk_of_${tenantId}`,
  }
  const made = value(
    await access.createTenant(system, {
      name: 'Acme',
      admin: { name: 'Ada', email: 'ada@acme.example', password },
    }),
  )
  const { tenantId } = made.tenant
  const reviewer = value(
    await access.createMember(system, tenantId, {
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
    access,
    applications: createApplications(ports),
    keys: createApplicationKeys(ports),
    store,
    counts,
    clock,
    sealer,
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
