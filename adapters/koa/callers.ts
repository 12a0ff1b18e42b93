import { queryOf } from './input.ts'
import { noBody } from './media.ts'

/** What a route of the portal for anyone has, unless its row says otherwise. */
export const anyone = {
  host: 'portal',
  auth: 'none',
  right: null,
  feature: null,
  throttled: false,
  query: queryOf({}),
  body: noBody,
  errors: 'service',
} as const

/** Of the staff host, for staff. */
export const staff = { ...anyone, host: 'staff', auth: 'staff' } as const

/** Of the portal, for members. */
export const member = { ...anyone, auth: 'member' } as const

/** Of the ingest host, for backends with a customer key. */
export const customerKey = { ...anyone, host: 'ingest', auth: 'customerKey' } as const

/** Of the ingest host, for applications. */
export const application = { ...anyone, host: 'ingest', auth: 'application' } as const
