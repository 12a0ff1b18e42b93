import type { Route } from '../index.ts'
import type { Cast } from './cast.ts'
import type { Asked } from './client.ts'
import type { Audience } from './requests.ts'
import type { Sender } from './world.ts'

/** Callers whose credential is none or no longer one, and one who may less than most: what their requests are answered. */
export const outsiders: readonly Outsider[] = [
  { name: 'nobody', as: () => null, answers: unauthenticated },
  {
    name: 'a forged cookie',
    as: () => null,
    headers: { cookie: 'service_customer_token=e30.e30.e30' },
    answers: unauthenticated,
  },
  {
    name: 'a malformed key',
    as: () => null,
    headers: { 'x-api-key': 'svc_app_nothing' },
    answers: unauthenticated,
  },
  {
    name: 'a compound customer key',
    as: () => null,
    headers: { 'x-api-key': 'svc_cust_home.abcdefghijkl.secret' },
    answers: unauthenticated,
  },
  {
    name: 'an auditor',
    as: ({ auditor }, { host }) => (host === 'portal' ? auditor : undefined),
    answers: (audience) => (audience === 'anyone' || audience === 'members' ? null : forbidden),
  },
  {
    name: 'a wrong staff token',
    as: () => null,
    headers: { authorization: 'Bearer nothing' },
    answers: unauthenticated,
  },
  {
    name: 'a member who was suspended',
    as: ({ leaver }, { host }) => (host === 'portal' ? leaver : undefined),
    answers: unauthenticated,
  },
  {
    name: 'a member who logged out',
    as: ({ logger }, { host }) => (host === 'portal' ? logger : undefined),
    answers: unauthenticated,
  },
  {
    name: 'a member or key of a suspended tenant',
    as: ({ frozen }, { host }) =>
      host === 'staff' ? undefined : host === 'portal' ? frozen.admin : frozen.app,
    answers: (audience) =>
      audience === 'anyone' ? null : { status: 503, code: 'account_suspended' },
  },
  {
    name: 'a revoked key',
    as: ({ revoked }, { host }) => (host === 'ingest' ? revoked : undefined),
    answers: unauthenticated,
  },
  {
    name: 'a key of an application that is being deleted',
    as: ({ leaving }, { host, auth }) =>
      host === 'ingest' ? (auth === 'customerKey' ? leaving.ingest : leaving) : undefined,
    // What a path names is looked up first, and is another application's here.
    answers: (audience, { path }) => {
      if (audience === 'anyone') return null
      return path.includes(':')
        ? { status: 404, code: 'not_found' }
        : { status: 410, code: 'application_gone' }
    },
  },
]

interface Refused {
  readonly status: number
  readonly code: string
}

interface Outsider {
  readonly name: string
  /** Undefined where there is no such one on the route's host. */
  readonly as: (world: Cast, row: Route) => Sender | undefined
  readonly headers?: Asked['headers']
  /** Null: is let in, which another test looks at. */
  readonly answers: (audience: Audience, row: Route) => Refused | null
}

const forbidden: Refused = { status: 403, code: 'forbidden' }

function unauthenticated(audience: Audience): Refused | null {
  return audience === 'anyone' ? null : { status: 401, code: 'authentication_required' }
}
