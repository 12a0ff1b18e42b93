import type { CustomerKeyActor } from '@countersign/core'
import type { Actor, CustomerKeyType } from '@countersign/core/access'
import type { Host } from '../index.ts'
import { type App, type Sender, value, type World } from './world.ts'

/** A kind of caller of the access matrix, at home and of another tenant. */
export interface Kind {
  readonly name: string
  /** The host that reads its credential; null: it has none. */
  readonly host: Host | null
  /** The one of the home tenant, as the core knows it; null: nobody. */
  readonly actor: Actor | null
  readonly home: Sender
  /** Those to whom what is the home one's own is foreign. */
  readonly strangers: readonly Sender[]
  readonly headers?: Readonly<Record<string, string>>
}

/** Every kind of caller, in a world. */
export async function openKinds(world: World): Promise<readonly Kind[]> {
  const { home, away, sibling, auditor, reviewer, integrator, staff } = world
  const exporter = await home.person('CustomerAuditor', ['Export Evidence'])
  const strangers = {
    admin: away.admin,
    auditor: await away.person('CustomerAuditor', []),
    reviewer: await away.person('CustomerAuditor', ['Review Cases']),
    integrator: await away.person('CustomerAuditor', ['Manage Integrations']),
    exporter: await away.person('CustomerAuditor', ['Export Evidence']),
  }
  const members = { admin: home.admin, auditor, reviewer, integrator, exporter }
  const ofMembers = (Object.keys(members) as (keyof typeof members)[]).map((name) => ({
    name: `member: ${name}`,
    host: 'portal' as const,
    actor: members[name].actor,
    home: members[name],
    strangers: [strangers[name]],
  }))
  // In the sandbox all that lies at home is another tenant's.
  const guests = ofMembers.map(({ name, host, actor, home }) => ({
    name: name.replace('member', 'guest'),
    host,
    actor: { ...actor, guest: true as const },
    home,
    strangers: [home],
    headers: { 'x-service-sandbox': 'true' },
  }))
  const keys: Kind[] = []
  for (const type of ['primary ingest', 'secondary', 'management'] as const) {
    const [own, foreign, beside] = [
      await customerKey(world, home.app, type),
      await customerKey(world, away.app, type),
      await customerKey(world, sibling, type),
    ]
    const { tenantId, applicationId, keyId } = own
    const actor: CustomerKeyActor = {
      ...{ kind: 'customerKey', tenantId, applicationId, keyId, type },
      ratePerMinute: null,
    }
    keys.push({
      name: `${type} key`,
      host: 'ingest',
      actor,
      home: own,
      strangers: [foreign, beside],
    })
  }
  const application: Kind = {
    name: 'application key',
    host: 'ingest',
    actor: { kind: 'application', ...home.app },
    home: home.app,
    strangers: [away.app, sibling],
  }
  return [
    { name: 'nobody', host: null, actor: null, home: null, strangers: [null] },
    ...ofMembers,
    ...guests,
    application,
    ...keys,
    {
      name: 'staff',
      host: 'staff',
      actor: { kind: 'staff', name: 'ops' },
      home: staff,
      // Staff belongs to no tenant.
      strangers: [],
    },
  ]
}

async function customerKey(
  { service }: World,
  { tenantId, applicationId }: App,
  type: CustomerKeyType,
): Promise<App> {
  const input = { tenantId, applicationId, type, ratePerMinute: 10_000 }
  const issued = value(await service.customerKeys.provision({ kind: 'system' }, input))
  const key = issued.value.split('.').at(-1) ?? ''
  // A key's first use within an hour is noted.
  value(await service.access.authenticateCustomerKey(key))
  return { tenantId, applicationId, keyId: issued.keyId, key }
}
