import type { Route } from '../index.ts'
import type { Asked } from './client.ts'
import { pathOf, type Sample } from './requests.ts'
import type { Sender, World } from './world.ts'

/** A request that a fault may spoil. */
export interface Request {
  readonly as: Sender
  readonly sample: Sample
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  /** Absent: the sample's. */
  readonly body?: string
}

/** One thing that is wrong: with a request, or with what the world holds meanwhile. */
export interface Fault {
  readonly code: string
  /** Its place in the order of refusals; faults of one place are not compared. */
  readonly place: number
  readonly applies: (row: Route, sample: Sample) => boolean
  readonly spoil?: (request: Request, row: Route, world: World) => Request
  /** Patches of rows, as long as the fault lasts: a collection, which row, the change, and what takes it back. */
  readonly rows?: (
    row: Route,
    sample: Sample,
    world: World,
  ) => readonly [collection: string, match: object, patch: object, back: object]
  readonly limits?: true
}

/** Ids of the same form that nothing has. */
function unknownOf(ids: Sample['ids'] = {}): Readonly<Record<string, string>> {
  const unknown = (id: string) =>
    /^[a-z]+_/.test(id) ? id.replace(/_.*$/, `_${'0'.repeat(26)}`) : `${id}-no`
  return Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, unknown(id)]))
}

const isKeyed = ({ auth }: Route) => auth === 'application' || auth === 'customerKey'
const isTenants = ({ auth }: Route) => auth !== 'none' && auth !== 'staff'

/** A caller whose credential opens the host and not the operation; null where there is none. */
function lesser({ auth }: Route, { audience }: Sample, world: World): Sender {
  if (auth === 'application') return world.home.app.ingest
  if (auth === 'customerKey') return world.home.app
  return auth === 'member' && audience !== 'members' ? world.auditor : null
}

/** The application that a path names, itself or by a session or a case. */
function applicationOf(
  { path, refuses }: Route,
  { ids = {} }: Sample,
  world: World,
): string | null {
  if (!refuses.includes('application_gone')) return null
  if (path.includes(':applicationId')) return ids.applicationId ?? null
  return namesHomes(path) ? world.home.app.applicationId : null
}

/** Faults that any operation may have, in the order in which they are refused (interface, Errors). */
export const faults: readonly Fault[] = [
  {
    code: 'authentication_required',
    place: 401,
    applies: ({ auth }) => auth !== 'none',
    spoil: (request) => ({ ...request, as: null }),
  },
  {
    code: 'account_suspended',
    place: 503,
    applies: isTenants,
    rows: (_row, _sample, { home: { tenantId } }) => [
      ...(['tenants', { tenantId }, { status: 'suspended' }, { status: 'active' }] as const),
    ],
  },
  {
    code: 'plan_required',
    place: 403,
    applies: ({ feature }) => feature !== null,
    rows: (_row, _sample, { home: { tenantId } }) => [
      ...(['tenants', { tenantId }, { plan: 'Builder' }, { plan: 'Enterprise' }] as const),
    ],
  },
  {
    code: 'forbidden',
    place: 403.5,
    applies: (row, sample) =>
      isKeyed(row) || (row.auth === 'member' && row.right !== null && needsMore(sample)),
    spoil: (request, row, world) => ({ ...request, as: lesser(row, request.sample, world) }),
  },
  {
    code: 'not_found',
    place: 404,
    applies: ({ path, auth }) => path.includes('/:') && auth !== 'none',
    spoil: (request) => ({
      ...request,
      sample: { ...request.sample, ids: unknownOf(request.sample.ids) },
    }),
  },
  {
    code: 'application_gone',
    place: 410,
    applies: (row, sample) =>
      isKeyed(row) || (row.refuses.includes('application_gone') && namesApplication(row, sample)),
    rows: (row, sample, world) => [
      'applications',
      { applicationId: applicationOf(row, sample, world) ?? world.home.app.applicationId },
      { lifecycleState: 'pending_deletion' },
      { lifecycleState: 'active' },
    ],
  },
  { code: 'rate_limited', place: 429, applies: () => true, limits: true },
  {
    code: 'not_acceptable',
    place: 406,
    applies: () => true,
    spoil: (request) => ({
      ...request,
      headers: { ...request.headers, accept: 'application/x-nothing' },
    }),
  },
  {
    code: 'unsupported_media_type',
    place: 415,
    applies: ({ body }) => body.types.length > 0,
    spoil: (request) => ({
      ...request,
      headers: { ...request.headers, 'content-type': 'text/plain' },
      body: request.body ?? 'x',
    }),
  },
  {
    code: 'body_too_large',
    place: 415,
    applies: ({ body }) => body.types.length > 0 && body.limit <= 1024 * 1024,
    spoil: (request, { body }) => ({
      ...request,
      headers: { 'content-type': 'application/json', ...request.headers },
      body: `{}${' '.repeat(body.limit)}`,
    }),
  },
  {
    code: 'invalid_request',
    place: 422,
    applies: () => true,
    spoil: (request) => ({ ...request, query: 'surprise=1' }),
  },
]

function needsMore({ audience }: Sample): boolean {
  return audience !== 'members' && audience !== 'anyone'
}

function namesApplication({ path }: Route, _sample: Sample): boolean {
  return path.includes(':applicationId') || namesHomes(path)
}

/** Whether a path names something of the world's own application. */
function namesHomes(path: string): boolean {
  return path.includes('/sessions/') || path.includes('/review-cases/:')
}

/** The request as it is sent. */
export function askedOf(row: Route, { sample, query, headers, body }: Request): Asked {
  const whole = sample.body && { ...sample.body, ...sample.optional }
  return {
    method: row.method,
    path: pathOf(row, sample, query),
    headers,
    ...((body ?? whole) === undefined ? {} : { body: body ?? whole }),
  }
}

/** Runs `act` while faults last that the world has. */
export async function whileSpoiled<T>(
  row: Route,
  sample: Sample,
  world: World,
  wrong: readonly Fault[],
  act: () => Promise<T>,
): Promise<T> {
  const patches = wrong.flatMap(({ rows }) => (rows ? [rows(row, sample, world)] : []))
  const { rateLimit, portalRateLimit } = world.options
  const windows = [rateLimit.window, portalRateLimit.window] as const
  const full = {
    ...windows[0],
    hit: () => ({ allowed: false, remaining: 0, resetAt: world.clock.now() + 1_000 }),
  }
  if (wrong.some(({ limits }) => limits)) {
    rateLimit.window = full
    portalRateLimit.window = full
  }
  for (const [name, match, patch] of patches) await world.alter(name, match, patch)
  try {
    return await act()
  } finally {
    for (const [name, match, , back] of patches) await world.alter(name, match, back)
    rateLimit.window = windows[0]
    portalRateLimit.window = windows[1]
  }
}
