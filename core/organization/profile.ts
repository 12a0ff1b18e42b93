import { actorName } from '../access/actor.ts'
import { authorizeMember } from '../access/authorize.ts'
import { checkEmail } from '../access/email.ts'
import { executeAs } from '../access/execute-as.ts'
import { type Tenant, tenants } from '../access/records.ts'
import { audit } from '../ledger/audit.ts'
import { checkLine, checkName } from '../ledger/check-text.ts'
import { refuseErrors, wrong } from '../ledger/input-errors.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { answer, commit, refusal } from '../ledger/ledger.ts'
import { longest } from '../ledger/limits.ts'
import { get, one, put } from '../ledger/reads.ts'
import { type FieldError, ok } from '../ledger/refusal.ts'
import { isCountry } from './countries.ts'
import type { OrganizationDeps } from './deps.ts'
import { noOrganization } from './load.ts'
import type { OrganizationUseCases } from './use-cases.ts'
import type { ProfileInput, ProfileView } from './view.ts'

export function readProfile({ ledger }: OrganizationDeps): OrganizationUseCases['readProfile'] {
  return async (actor) => {
    const member = authorizeMember(actor, 'readOrganization')
    if (!member.ok) return member
    const { tenantId } = member.value
    const [found] = await ledger.read(tenantId, [get(tenants, [tenantId])])
    const tenant = one(tenants, found)?.row
    return tenant ? ok(profileView(tenant)) : noOrganization()
  }
}

/** The organization's name is the tenant's, so every later document has the new one. */
export function updateProfile({ ledger }: OrganizationDeps): OrganizationUseCases['updateProfile'] {
  return async (actor, input) => {
    const member = authorizeMember(actor, 'updateProfile')
    if (!member.ok) return member
    const malformed = refuseErrors(checkProfile(input))
    if (malformed) return malformed
    return executeAs(ledger, actor, 'updateProfile', async (unit, by) => {
      const { tenantId } = by
      const [found] = await unit.read([get(tenants, [tenantId])])
      const was = one(tenants, found)
      if (!was) return refusal(noOrganization())
      const before = profileView(was.row)
      const profile = {
        organizationName: input.organizationName.trim(),
        contactEmail: input.contactEmail.trim(),
        country: input.country ?? null,
        timezone: input.timezone ?? null,
      }
      const changed = members.filter((name) => profile[name] !== before[name])
      if (changed.length === 0) return answer(before)
      const { organizationName: name, ...rest } = profile
      const tenant: Tenant = {
        ...was.row,
        name,
        ...rest,
        profileUpdatedAt: unit.now,
        updatedAt: unit.now,
      }
      return commit(
        {
          puts: [put(tenants, tenant, was)],
          appends: [
            audit(tenantId, {
              at: isoTime(unit.now),
              actor: actorName(by),
              action: 'profile.updated',
              subject: tenantId,
              detail: { changed: changed.join(', ') },
            }),
          ],
        },
        profileView(tenant),
      )
    })
  }
}

const members = ['organizationName', 'contactEmail', 'country', 'timezone'] as const

function checkProfile(input: ProfileInput): readonly FieldError[] {
  const { organizationName, contactEmail, country, timezone } = input
  const is = (value: string | null | undefined): value is string =>
    value !== null && value !== undefined
  return [
    ...checkName(organizationName, '/organizationName', longest.name),
    ...checkLine(contactEmail, '/contactEmail', longest.email),
    ...checkEmail(contactEmail, '/contactEmail'),
    ...(is(country) && !isCountry(country)
      ? [wrong('/country', 'expected an ISO 3166-1 alpha-2 code in capitals, such as DE')]
      : []),
    ...(is(timezone) && !isTimezone(timezone)
      ? [wrong('/timezone', 'expected an IANA identifier, such as Europe/Berlin')]
      : []),
  ]
}

/** Whether the runtime knows an IANA identifier; offsets such as `+01:00` are none. */
function isTimezone(name: string): boolean {
  if (name.length > longest.name || !/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

function profileView(tenant: Tenant): ProfileView {
  const {
    name,
    contactEmail,
    country = null,
    timezone = null,
    profileUpdatedAt,
    createdAt,
  } = tenant
  return {
    organizationName: name,
    contactEmail,
    country,
    timezone,
    updatedAt: isoTime(profileUpdatedAt ?? createdAt),
  }
}
