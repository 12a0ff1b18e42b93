import type { CaseView } from '@countersign/core'
import type { Route } from '../index.ts'
import { sampleKeyOf, samples } from './samples.ts'
import { type App, newCase, type Person, password, value, type World } from './world.ts'

/** Who may ask for a route, as the interface says it; the test's own word, not the core's table. */
export type Audience =
  | 'anyone'
  | 'members'
  | 'admins'
  | 'reviewers'
  | 'integrators'
  | 'reviewers or integrators'
  | 'application'

export interface Sample {
  readonly audience: Audience
  /** Ids for the path, by parameter. */
  readonly ids?: Readonly<Record<string, string>>
  readonly query?: string
  /** Members without which the body is refused. */
  readonly body?: Readonly<Record<string, unknown>>
  /** Members that may be left out. */
  readonly optional?: Readonly<Record<string, unknown>>
  /** Members that take any JSON value. */
  readonly anything?: readonly string[]
  /** What those who may get, if not 200. */
  readonly granted?: { readonly status: number; readonly code: string }
  /** A list: the name of its items, and whether it is whole without a page. */
  readonly list?: { readonly items: string; readonly whole: boolean }
}

type Make = (world: World) => Sample | Promise<Sample>

/**
 * A row for each route: who may ask for it, and what of a request that is right in every way is the world's own. The
 * other members of bodies are those of `description/samples.json`.
 */
export const requests: Readonly<Record<string, Make>> = {
  'POST portal /v1/auth/login': ({ auditor }) => ({
    audience: 'anyone',
    body: { email: auditor.email, password },
  }),
  'POST portal /v1/auth/logout': () => ({ audience: 'members' }),
  'GET portal /v1/auth/session': () => ({ audience: 'members' }),

  'GET portal /v1/applications': () => ({
    audience: 'members',
    list: { items: 'applications', whole: false },
  }),
  'POST portal /v1/applications': () => ({ audience: 'admins' }),
  'GET portal /v1/applications/:applicationId': ({ home }) => ({
    audience: 'members',
    ids: { applicationId: home.app.applicationId },
  }),
  'PUT portal /v1/applications/:applicationId/outcome-callback': ({ home }) => ({
    audience: 'admins',
    ids: { applicationId: home.app.applicationId },
  }),
  'GET portal /v1/applications/:applicationId/application-keys': ({ home }) => ({
    audience: 'admins',
    ids: { applicationId: home.app.applicationId },
    list: { items: 'applicationKeys', whole: true },
  }),
  'POST portal /v1/applications/:applicationId/application-keys': ({ home }) => ({
    audience: 'admins',
    ids: { applicationId: home.app.applicationId },
  }),
  'DELETE portal /v1/applications/:applicationId/application-keys/:keyId': ({ home }) => ({
    audience: 'admins',
    ids: { applicationId: home.app.applicationId, keyId: home.app.keyId },
  }),

  'POST ingest /v1/review-cases': ({ auditor }) => ({
    audience: 'application',
    body: newCase(),
    optional: { requestedBy: auditor.actor.memberId },
  }),
  'GET ingest /v1/review-cases/:reviewCaseId': async (world) => ({
    audience: 'application',
    ids: idOf(await opened(world)),
  }),
  'POST ingest /v1/review-cases/:reviewCaseId/follow-up-response': async (world) => {
    const asked = await questioned(world)
    return {
      audience: 'application',
      ids: idOf(asked),
      body: { caseVersion: asked.caseVersion },
    }
  },
  'POST ingest /v1/review-cases/:reviewCaseId/cancel': async (world) => {
    const review = await opened(world)
    return {
      audience: 'application',
      ids: idOf(review),
      optional: { caseVersion: review.caseVersion },
    }
  },
  'POST ingest /v1/review-cases/:reviewCaseId/continuation': async (world) => ({
    audience: 'application',
    ids: idOf(await decided(world)),
  }),

  'GET portal /v1/review-cases': async (world) => {
    await opened(world)
    return { audience: 'reviewers', list: { items: 'reviewCases', whole: false } }
  },
  'GET portal /v1/review-cases/:reviewCaseId': async (world) => ({
    audience: 'reviewers',
    ids: idOf(await opened(world)),
  }),
  'POST portal /v1/review-cases/:reviewCaseId/claim': async (world) => {
    const review = await opened(world)
    return {
      audience: 'reviewers',
      ids: idOf(review),
      optional: { caseVersion: review.caseVersion },
    }
  },
  'POST portal /v1/review-cases/:reviewCaseId/reassign': async (world) => {
    const review = await claimed(world)
    return {
      audience: 'reviewers',
      ids: idOf(review),
      body: { caseVersion: review.caseVersion, reviewerId: world.second.actor.memberId },
    }
  },
  'POST portal /v1/review-cases/:reviewCaseId/follow-up': async (world) => {
    const review = await claimed(world)
    return {
      audience: 'reviewers',
      ids: idOf(review),
      body: { caseVersion: review.caseVersion },
    }
  },
  'POST portal /v1/review-cases/:reviewCaseId/decide': async (world) => {
    const review = await claimed(world)
    return {
      audience: 'reviewers',
      ids: idOf(review),
      body: {
        caseVersion: review.caseVersion,
        presentationDigest: review.presentationDigest,
      },
      anything: ['response'],
    }
  },
  'POST portal /v1/review-cases/:reviewCaseId/cancel': async (world) => {
    const review = await opened(world)
    return {
      audience: 'admins',
      ids: idOf(review),
      body: { caseVersion: review.caseVersion },
    }
  },
  'POST portal /v1/review-cases/:reviewCaseId/callback/replay': async (world) => ({
    audience: 'reviewers or integrators',
    ids: idOf(await decided(world)),
    granted: { status: 409, code: 'invalid_transition' },
  }),

  'GET portal /v1/webhooks': () => ({
    audience: 'members',
    list: { items: 'webhooks', whole: true },
  }),
  'POST portal /v1/webhooks': () => ({
    audience: 'admins',
  }),
  'GET portal /v1/webhooks/:webhookId': ({ home }) => ({
    audience: 'members',
    ids: { webhookId: home.webhookId },
  }),
  'PUT portal /v1/webhooks/:webhookId': ({ home }) => ({
    audience: 'admins',
    ids: { webhookId: home.webhookId },
  }),
  'DELETE portal /v1/webhooks/:webhookId': ({ home }) => ({
    audience: 'admins',
    ids: { webhookId: home.webhookId },
  }),
  'POST portal /v1/webhooks/:webhookId/test': (world) => ({
    audience: 'admins',
    ids: { webhookId: world.home.webhookId },
  }),
  'POST portal /v1/webhooks/:webhookId/verification': ({ home }) => ({
    audience: 'admins',
    ids: { webhookId: home.webhookId },
  }),
  'POST portal /v1/webhooks/:webhookId/rotate-secret': ({ home }) => ({
    audience: 'admins',
    ids: { webhookId: home.webhookId },
  }),
  'POST portal /v1/webhooks/:webhookId/turn-on': async ({ home, service }) => {
    value(await service.webhooks.turnOff(home.admin.actor, home.webhookId))
    return { audience: 'admins', ids: { webhookId: home.webhookId } }
  },
  'POST portal /v1/webhooks/:webhookId/turn-off': ({ home }) => ({
    audience: 'admins',
    ids: { webhookId: home.webhookId },
  }),
  'GET portal /v1/webhooks/:webhookId/delivery-logs': ({ home }) => ({
    audience: 'members',
    ids: { webhookId: home.webhookId },
    list: { items: 'deliveryLogs', whole: true },
  }),
  'POST portal /v1/webhooks/:webhookId/deliveries/:eventId/replay': async (world) => ({
    audience: 'integrators',
    ids: { webhookId: world.home.webhookId, eventId: await eventOf(world) },
  }),
  'POST portal /v1/webhooks/:webhookId/recover': ({ home }) => ({
    audience: 'integrators',
    ids: { webhookId: home.webhookId },
  }),
  'GET portal /v1/review-events': ({ home }) => ({
    audience: 'integrators',
    query: `subscriptionId=${home.webhookId}`,
    list: { items: 'events', whole: false },
  }),
  'GET portal /.well-known/webhook-keys/:tenantId': async ({ home, service }) => {
    const input = { url: 'https://signed.example/events', eventTypes: ['*'] }
    value(await service.webhooks.create(home.admin.actor, input))
    return { audience: 'anyone', ids: { tenantId: home.tenantId } }
  },
}

export function keyOf({ method, host, path }: Pick<Route, 'method' | 'host' | 'path'>): string {
  return `${method} ${host} ${path}`
}

export async function sampleOf(row: Route, world: World): Promise<Sample> {
  const make = requests[keyOf(row)]
  if (!make) throw new Error(`the route ${keyOf(row)} has no row in requests.ts`)
  const made = await make(world)
  const { body, optional } = samples[sampleKeyOf(row)] ?? {}
  return {
    ...made,
    ...(body && { body: { ...body, ...made.body } }),
    ...(optional && { optional: { ...optional, ...made.optional } }),
  }
}

/** The path with its ids, and the query. */
export function pathOf(
  row: Route,
  { ids = {}, query }: Pick<Sample, 'ids' | 'query'>,
  more = '',
): string {
  const path = row.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(ids[name] ?? ''))
  const all = [query, more].filter((part) => part).join('&')
  return all === '' ? path : `${path}?${all}`
}

/** One of the home tenant who may. */
export function entitled({ audience }: Sample, world: World): Person | App | null {
  switch (audience) {
    case 'anyone':
      return null
    case 'application':
      return world.home.app
    case 'members':
      return world.auditor
    case 'admins':
      return world.home.admin
    case 'reviewers':
      return world.reviewer
    case 'integrators':
    case 'reviewers or integrators':
      return world.integrator
  }
}

function idOf({ reviewCaseId }: CaseView) {
  return { reviewCaseId }
}

const opened = (world: World) => world.opened(world.home.app)

async function claimed(world: World): Promise<CaseView> {
  const { reviewCaseId } = await opened(world)
  return value(await world.service.reviewCases.claim(world.reviewer.actor, reviewCaseId, {}))
}

async function questioned(world: World): Promise<CaseView> {
  const { reviewCaseId, caseVersion } = await claimed(world)
  const input = { seen: { caseVersion }, question: 'Why?' }
  return value(
    await world.service.reviewCases.requestFollowUp(world.reviewer.actor, reviewCaseId, input),
  )
}

async function decided(world: World): Promise<CaseView> {
  const { reviewCaseId, caseVersion, presentationDigest } = await claimed(world)
  return value(
    await world.service.reviewCases.decide(world.reviewer.actor, reviewCaseId, {
      seen: { caseVersion },
      presentationDigest: presentationDigest ?? '',
      decision: 'approved',
    }),
  )
}

/** The id of an event that the home webhook is owed. */
async function eventOf(world: World): Promise<string> {
  await opened(world)
  const { integrator, home, service } = world
  const query = { subscriptionId: home.webhookId, page: 1, pageSize: 1 }
  const [newest] = value(await service.webhooks.reviewEvents(integrator.actor, query)).events
  if (!newest) throw new Error('the webhook is owed nothing')
  return (newest.event as { readonly id: string }).id
}
