import { longest } from '../kernel/ledger/limits.ts'
import { object, showAll } from '../kernel/members.ts'
import { command, reading } from '../kernel/operation.ts'
import {
  type InsOf,
  name,
  type OutsOf,
  type RowsOf,
  type Shape,
  text,
  time,
} from '../kernel/shape.ts'
import { checked, orNull } from '../kernel/wrap.ts'
import { emailAddress } from './access/email.ts'
import { organizationOf } from './access/organization.ts'
import { type Tenant, tenants } from './access/records.ts'
import { isCountry } from './countries.ts'

/** The members that admins set; what is absent is null from then on. */
const profile = {
  /** The tenant's name: in evidence, archives, certificates and invitations. */
  organizationName: name(longest.name),
  contactEmail: emailAddress,
  country: orNull(
    checked(text(2), (code) =>
      isCountry(code) ? null : 'expected an ISO 3166-1 alpha-2 code in capitals, such as DE',
    ),
  ),
  timezone: orNull(
    checked(text(longest.name), (zone) =>
      isTimezone(zone) ? null : 'expected an IANA identifier, such as Europe/Berlin',
    ),
  ),
}
const shownProfile = { ...profile, updatedAt: time }

/** A profile to save. */
export interface ProfileInput extends InsOf<typeof profile> {}
/** The organization as its members see it. */
export interface ProfileView extends OutsOf<typeof shownProfile> {}

const profileShape: Shape<
  RowsOf<typeof shownProfile>,
  InsOf<typeof shownProfile>,
  ProfileView
> = object(shownProfile, 'Profile')

/** The organization's profile. */
export const readProfile = reading({
  name: 'profile.read',
  doc: "Read the organization's profile",
  right: 'readOrganization',
  takes: {},
  gives: profileShape,
  refuses: ['not_found'],
  async run(lookup) {
    const { tenant } = await lookup.ask({ tenant: organizationOf(lookup.by.tenantId) })
    return showAll(shownProfile, profileOf(tenant.row))
  },
})

/** Replaces the profile. The organization's name is the tenant's, so every later document has the new one. */
export const updateProfile = command({
  name: 'profile.update',
  doc: "Replace the organization's profile",
  right: 'updateProfile',
  takes: profile,
  gives: profileShape,
  refuses: ['not_found'],
  async run(unit, given) {
    const { tenantId } = unit.by
    const { was } = await unit.ask({ was: organizationOf(tenantId) })
    const before = profileOf(was.row)
    const changed = members.filter((member) => given[member] !== before[member])
    if (changed.length === 0) return showAll(shownProfile, before)
    const { organizationName, ...rest } = given
    const times = { profileUpdatedAt: unit.now, updatedAt: unit.now }
    const tenant: Tenant = { ...was.row, name: organizationName, ...rest, ...times }
    unit.put(tenants, tenant, was)
    unit.audit('profile.updated', tenantId, { changed: changed.join(', ') })
    return showAll(shownProfile, profileOf(tenant))
  },
})

/** The organization's profile (interface, Portal host). */
export const profileOperations = [readProfile, updateProfile] as const

const members = Object.keys(profile) as readonly (keyof typeof profile)[]

function profileOf(tenant: Tenant): RowsOf<typeof shownProfile> {
  const { contactEmail, country = null, timezone = null, profileUpdatedAt, createdAt } = tenant
  return {
    organizationName: tenant.name,
    contactEmail,
    country,
    timezone,
    updatedAt: profileUpdatedAt ?? createdAt,
  }
}

/** Whether the runtime knows an IANA identifier; offsets such as `+01:00` are none. */
function isTimezone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}
