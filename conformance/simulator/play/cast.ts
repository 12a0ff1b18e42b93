import {
  type ApplicationActor,
  type CustomerKeyActor,
  collections,
  createService,
  logs,
  type MemberActor,
  type Service,
} from '@countersign/core'
import type { ChangeSet, Collection } from '@countersign/core/ports'
import type { Primitives } from '@countersign/core/signing'
import {
  createManualClock,
  createMemoryBlobs,
  createMemoryStore,
  plainCipher,
  plainPasswords,
  plainSessionTokens,
  scriptedEgress,
  scriptedTransport,
  seededRandom,
} from '@countersign/core/testing'
import { ingestUrl, sealer } from '../machine.ts'
import { apps } from '../plan.ts'
import { epoch } from '../world.ts'

/** Who takes part: one tenant that everything happens in, and one that must never see any of it. */
export interface Cast {
  readonly tenantId: string
  readonly admin: MemberActor
  /** Those who review, the admin among them. */
  readonly reviewers: readonly MemberActor[]
  readonly applications: readonly ApplicationActor[]
  /** What each application sends its sessions with. */
  readonly customerKeys: readonly CustomerKeyActor[]
  readonly stranger: MemberActor
}

type Answered<T> = { readonly ok: true; readonly value: T } | { readonly ok: false }

async function sure<T>(asked: Promise<Answered<T>>): Promise<T> {
  const answer = await asked
  if (!answer.ok) throw new Error(`the cast could not be made: ${JSON.stringify(answer)}`)
  return answer.value
}

const system = { kind: 'system' } as const

async function tenant(
  service: Service,
  name: string,
): Promise<{ readonly tenantId: string; readonly admin: MemberActor }> {
  const person = { name, email: `canary-${name}@example.test`, password: 'correct horse battery' }
  const made = await sure(service.tenants.create(system, { name, admin: person }))
  const { tenantId } = made.tenant
  return { tenantId, admin: memberActor(tenantId, made.admin.memberId, 'CustomerAdmin') }
}

/** A member with the rights of its role. */
export function memberActor(
  tenantId: string,
  memberId: string,
  role: MemberActor['role'],
): MemberActor {
  const all = ['Manage Integrations', 'Review Cases', 'Export Evidence'] as const
  const permissions =
    role === 'CustomerAdmin' ? all : (['Review Cases', 'Export Evidence'] as const)
  return { kind: 'member', tenantId, memberId, role, permissions }
}

interface Prepared {
  readonly cast: Cast
  /** Everything that making it committed, for a store that is empty. */
  readonly rows: ChangeSet
}

const prepared = new Map<Primitives, Promise<Prepared>>()

/** The same cast in every simulation, made once, through the service itself. */
export function castFor(primitives: Primitives): Promise<Prepared> {
  const known = prepared.get(primitives) ?? prepare(primitives)
  prepared.set(primitives, known)
  return known
}

async function prepare(primitives: Primitives): Promise<Prepared> {
  const all = collections as readonly unknown[] as readonly Collection[]
  const store = createMemoryStore({ collections: all, logs })
  const service = createService({
    ingestUrl,
    ports: {
      store,
      clock: createManualClock(epoch),
      random: seededRandom(1),
      primitives,
      transport: scriptedTransport([]),
      egress: scriptedEgress(),
      sealer,
      cipher: plainCipher(),
      blobs: createMemoryBlobs(),
      passwords: plainPasswords(),
      tokens: plainSessionTokens(),
    },
  })
  const cast = await makeCast(service)
  const puts = all.flatMap((one) =>
    store.rows(one).map(({ row }) => ({ in: one.name, row: row as object, was: null })),
  )
  const appends = logs.flatMap((log) =>
    [...store.entries(log)].flatMap(([partition, entries]) =>
      entries.map(({ entry }) => ({ log: log.name, partition, entry })),
    ),
  )
  return { cast, rows: { tenant: null, puts, appends } }
}

async function makeCast(service: Service): Promise<Cast> {
  const { tenantId, admin } = await tenant(service, 'house')
  const stranger = await tenant(service, 'stranger')
  const reviewer = await sure(
    service.members.create(system, {
      tenantId,
      name: 'reviewer',
      email: 'canary-reviewer@example.test',
      password: 'correct horse battery',
      role: 'CustomerAuditor',
      permissions: ['Review Cases'],
    }),
  )
  const applications: ApplicationActor[] = []
  for (let index = 0; index < apps; index++) {
    const { applicationId } = await sure(
      service.applications.create(admin, { name: `app ${index}` }),
    )
    const key = await sure(service.applicationKeys.create(admin, { applicationId, label: 'key' }))
    applications.push({ kind: 'application', tenantId, applicationId, keyId: key.keyId })
  }
  const customerKeys: CustomerKeyActor[] = []
  for (const { applicationId } of applications) {
    const type = 'primary ingest' as const
    const issued = await sure(
      service.customerKeys.provision(system, { tenantId, applicationId, type }),
    )
    const { keyId } = issued
    customerKeys.push({
      kind: 'customerKey',
      tenantId,
      applicationId,
      keyId,
      type,
      ratePerMinute: null,
    })
  }
  return {
    tenantId,
    admin,
    reviewers: [admin, memberActor(tenantId, reviewer.memberId, 'CustomerAuditor')],
    applications,
    customerKeys,
    stranger: stranger.admin,
  }
}
