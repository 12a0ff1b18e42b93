import type { ApplicationActor, CustomerKeyActor, MemberActor } from '../kernel/callers/actor.ts'
import type { PlanName } from '../kernel/callers/plans.ts'
import { unwrap } from '../kernel/ledger/refusal.ts'
import type { Service } from '../service.ts'

const system = { kind: 'system' } as const
const password = 'correct horse battery'

/** An organization of a test. */
export interface TestOrganization {
  readonly tenantId: string
  readonly admin: MemberActor
}

/** Makes an organization and answers its first admin; its plan is that of a new one unless given. */
export async function newOrganization(
  { tenants }: Pick<Service, 'tenants'>,
  given: {
    readonly name?: string
    readonly email?: string
    readonly password?: string
    readonly plan?: PlanName
  } = {},
): Promise<TestOrganization> {
  const { name = 'Acme', email = 'ada@acme.example', plan } = given
  const admin = { name: 'Ada', email, password: given.password ?? password }
  const made = unwrap(await tenants.create(system, { name, admin, ...(plan && { plan }) }))
  const { tenantId } = made.tenant
  return { tenantId, admin: { kind: 'member', tenantId, ...made.admin } }
}

/** Makes a member without further permissions. */
export async function newMember(
  { members }: Pick<Service, 'members'>,
  tenantId: string,
  name: string,
  role: MemberActor['role'] = 'CustomerAdmin',
): Promise<MemberActor> {
  const person = { name, email: `${name}@acme.example`, password }
  const made = await members.create(system, { tenantId, ...person, role, permissions: [] })
  return { kind: 'member', tenantId, ...unwrap(made) }
}

/** Makes an application and answers its id. */
export async function newApplication(
  { applications }: Pick<Service, 'applications'>,
  admin: MemberActor,
  name = 'Claims',
): Promise<string> {
  return unwrap(await applications.create(admin, { name })).applicationId
}

/** The application as it acts by a new key. */
export async function byNewKey(
  { access, applicationKeys }: Pick<Service, 'access' | 'applicationKeys'>,
  admin: MemberActor,
  applicationId: string,
  label = 'key',
): Promise<ApplicationActor> {
  const { value } = unwrap(await applicationKeys.create(admin, { applicationId, label }))
  return unwrap(await access.authenticateApplication(value))
}

/** A new key of a customer's application, which has been used. */
export async function provisionKey(
  { access, customerKeys }: Pick<Service, 'access' | 'customerKeys'>,
  owner: { readonly tenantId: string; readonly applicationId: string },
  type: CustomerKeyActor['type'] = 'primary ingest',
): Promise<{ readonly secret: string; readonly key: CustomerKeyActor }> {
  const { value } = unwrap(await customerKeys.provision(system, { ...owner, type }))
  const secret = value.split('.').at(-1) ?? ''
  return { secret, key: unwrap(await access.authenticateCustomerKey(secret)) }
}
