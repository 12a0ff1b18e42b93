import { customerKeyTypes, memberIdOf } from '../../kernel/callers/actor.ts'
import { highestRatePerMinute, keyHygiene, longest } from '../../kernel/ledger/limits.ts'
import { object, showAll } from '../../kernel/members.ts'
import {
  flag,
  line,
  type Named,
  name,
  type OutsOf,
  oneOf,
  type RowsOf,
  type Shape,
  stored,
  text,
  time,
  whole,
} from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'
import { orNull, shownBy } from '../../kernel/wrap.ts'

const state = { status: oneOf(['Active', 'Revoked']) }
/** Hex SHA-256 of the value, or of its secret segment; the value itself is never stored. */
const hash = stored<string>('text')

/** What the collections of keys of either kind declare alike. */
const asKeys = {
  unique: { hash: { on: ['hash'] } },
  tenant: 'tenantId',
  purge: { application: 'applicationId', step: 'configuration' },
  retain: { keep: 'the list of keys has the revoked ones' },
} as const

const applicationKey = {
  keyId: line(longest.id),
  /** The value's first characters, for recognition. */
  prefix: text(longest.secret),
  applicationId: line(longest.id),
  label: name(longest.label),
  createdAt: time,
  createdBy: shownBy(line(longest.id), memberIdOf),
}
const revokedAt = orNull(time)

/** What members see of an application key. */
export const shownApplicationKey = { ...applicationKey, ...state, revokedAt }

/** Keys with which applications open and read their cases. */
export const applicationKeys = table({
  name: 'applicationKeys',
  members: { tenantId: line(longest.id), ...applicationKey, hash, revokedAt },
  key: ['tenantId', 'applicationId', 'keyId'],
  indexes: { byApplication: ['applicationId'] },
  ...asKeys,
})

/** A key with which an application opens and reads its cases. */
export interface ApplicationKey extends RowsOf<typeof applicationKeys.members> {}
/** An application key as it is listed; the value is never shown again. */
export interface ApplicationKeyView extends OutsOf<typeof shownApplicationKey> {}

/** The answer that is one application key. */
export const applicationKeyShape: Named<typeof shownApplicationKey, ApplicationKeyView> = object(
  shownApplicationKey,
  'ApplicationKey',
)

const newApplicationKey = {
  ...shownApplicationKey,
  /** What the application sends; shown in this answer and never again. */
  value: text(longest.secret),
}
/** The answer that creates a key, with its value. */
export interface NewApplicationKeyView extends OutsOf<typeof newApplicationKey> {}
export const newApplicationKeyShape: Named<typeof newApplicationKey, NewApplicationKeyView> =
  object(newApplicationKey, 'NewApplicationKey')

export function applicationKeyView(key: ApplicationKey): ApplicationKeyView {
  return showAll(shownApplicationKey, { ...key, ...stateOf(key) })
}

const customerKey = {
  keyId: line(longest.id),
  /** `svc_cust_<slug>.<component>`. */
  prefix: text(longest.secret),
  applicationId: line(longest.id),
  type: oneOf(customerKeyTypes),
  createdAt: time,
  /** As in the audit log. */
  createdBy: line(longest.id),
  /** The hour of its last use. */
  lastUsedAt: orNull(time),
}

/** What members see of a customer key. */
export const shownCustomerKey = {
  ...customerKey,
  ...state,
  revokedAt,
  /** When another key should have taken its place; null once it is revoked. */
  rotationDueAt: orNull(time),
  /** Active, and not used for 30 days: to be revoked. */
  unused30d: flag,
}

/** Requests within a rolling minute, as staff set it; null: `usualRatePerMinute`. */
export const ratePerMinute: Shape<number | null, number | null | undefined> = orNull(
  whole(1, highestRatePerMinute),
)

/** Keys of customers. */
export const customerKeys = table({
  name: 'customerKeys',
  members: {
    tenantId: line(longest.id),
    ...customerKey,
    hash,
    component: text(longest.secret),
    ratePerMinute,
    revokedAt,
  },
  key: ['tenantId', 'keyId'],
  indexes: { byApplication: ['applicationId'], byId: ['keyId'] },
  ...asKeys,
})

/** A key with which an application's backend sends sessions, or reads about them. */
export interface CustomerKey extends RowsOf<typeof customerKeys.members> {}
/** A customer key as it is listed; the value is never shown again. */
export interface CustomerKeyView extends OutsOf<typeof shownCustomerKey> {}

/** The answer that is one customer key. */
export const customerKeyShape: Named<typeof shownCustomerKey, CustomerKeyView> = object(
  shownCustomerKey,
  'CustomerKey',
)

const newCustomerKey = {
  ...shownCustomerKey,
  /** The whole key; calls send its last segment in `X-API-Key`. */
  value: text(longest.secret),
}
/** The answer that creates a customer key, with its value. */
export interface NewCustomerKeyView extends OutsOf<typeof newCustomerKey> {}
export const newCustomerKeyShape: Named<typeof newCustomerKey, NewCustomerKeyView> = object(
  newCustomerKey,
  'NewCustomerKey',
)

const staffCustomerKey = { tenantId: line(longest.id), ...shownCustomerKey, ratePerMinute }
/** A customer key as staff sees it. */
export interface StaffCustomerKeyView extends OutsOf<typeof staffCustomerKey> {}
export const staffCustomerKeyShape: Named<typeof staffCustomerKey, StaffCustomerKeyView> = object(
  staffCustomerKey,
  'StaffCustomerKey',
)

const dayMs = 86_400_000

/** A key as it is shown at `now`, with what is advised of it then. */
export function customerKeyView(key: CustomerKey, now: number): CustomerKeyView {
  return showAll(shownCustomerKey, shownOf(key, now))
}

export function staffCustomerKeyView(key: CustomerKey, now: number): StaffCustomerKeyView {
  return showAll(staffCustomerKey, shownOf(key, now))
}

function shownOf(key: CustomerKey, now: number): RowsOf<typeof staffCustomerKey> {
  const { createdAt, lastUsedAt, revokedAt } = key
  const active = revokedAt === null
  return {
    ...key,
    ...stateOf(key),
    rotationDueAt: active ? createdAt + keyHygiene.rotationDays * dayMs : null,
    unused30d: active && (lastUsedAt ?? createdAt) + keyHygiene.unusedDays * dayMs <= now,
  }
}

function stateOf({ revokedAt }: Pick<CustomerKey, 'revokedAt'>): RowsOf<typeof state> {
  return { status: revokedAt === null ? 'Active' : 'Revoked' }
}
