import assert from 'node:assert/strict'
import { collections } from '@countersign/core'
import { openedTexts, withOpenTexts } from '@countersign/core/internal'
import {
  activeKeysPerApplication,
  applicationsPerTenant,
  defaultLimits,
  most,
  revokedKeysPerApplication,
} from '@countersign/core/ledger'
import type { Collection } from '@countersign/core/ports'
import { plainSealer } from '@countersign/core/testing'
import { routes } from '../index.ts'
import type { Route } from '../operation.ts'
import { keyOf, sampleOf } from './requests.ts'
import { value, type World } from './world.ts'

type Row = Readonly<Record<string, unknown>>

/** How a list is filled whose length no limit bounds, and what its filters are asked for. */
export interface Stock {
  readonly collection: string
  /** Makes a first row in the way of the service; the others are copies of it. */
  readonly first: (world: World) => Promise<unknown>
  /** The members in which the `n`th copy differs; the first thirty are of the rarest kind. */
  readonly copy: (n: number) => Row
  /** Values of each filter. */
  readonly samples: Readonly<Record<string, readonly string[]>>
  /** The cursor of the `n`th copy. */
  readonly cursor: (n: number) => string
}

/** Lists that a limit keeps short, with what it is declared as: they may be read whole. */
export const bounded: Readonly<Record<string, number>> = {
  'applications.list': applicationsPerTenant,
  'applicationKeys.list': activeKeysPerApplication + revokedKeysPerApplication,
  'webhooks.list': defaultLimits.webhooksPerTenant,
  'notificationChannels.list': most.channels,
  'alertRules.list': most.alertRules,
  'authenticators.list': most.authenticatorsEver,
  'members.authenticators': most.authenticatorsEver,
}

/** Lists of the route table: what takes a page, or is called a list. */
export const allLists: readonly Route[] = routes.filter(
  (route) => 'page' in shapeOf(route) || /\.list(?=[A-Z]|$)/.test(route.name),
)

export type Shape = Readonly<Record<string, (given: string) => boolean>>

/** Names of an operation's query parameters, and whether each takes a value. */
export function shapeOf({ query }: Route): Shape {
  return Object.fromEntries(
    Object.keys(query.schema.properties as object).map((name) => [
      name,
      (given) => {
        const read = query.read({ [name]: given })
        // Others that it needs are not given.
        return read.ok || !read.refusal.errors?.some(({ parameter }) => parameter === name)
      },
    ]),
  )
}

const numbered = (prefix: string, n: number) => `${prefix}_0${String(n).padStart(25, '0')}`
const isRare = (n: number) => n < 30

function ids(prefix: string, member: string, more: (n: number) => Row = () => ({})) {
  return {
    copy: (n: number) => ({ [member]: numbered(prefix, n), ...more(n) }),
    cursor: (n: number) => numbered(prefix, n),
  }
}

const keyRequestCopy = (n: number) => ({
  status: isRare(n) ? 'submitted' : 'executed',
  open: 0,
  target: `target ${n}`,
})

const session = 'ses_1'

const states = ['open', 'decided', 'cancelled', 'expired']
const tiers = ['standard', 'high', 'urgent']

/** Each tenth is overdue in the world's time. */
const queuePlace = (n: number) => `${n % 10 === 0 ? '0' : '1'}${String(n).padStart(9, '0')}`

/** Later than the ids of the world's time. */
const lateId = (n: number) => `att_1${String(n).padStart(25, '0')}`

async function attempted({ store, home, clock }: World): Promise<void> {
  const row = {
    ...{ endpointId: home.webhookId, attemptId: lateId(1_000_000), deliveryId: 'dlv_1' },
    ...{ tenantId: home.tenantId, applicationId: null, type: 'review.case.created' },
    ...{ messageId: 'evt_1', family: 'standard', attempt: 1, trigger: 'event' },
    ...{ startedAt: clock.now(), latencyMs: 1, outcome: 'delivered', error: null },
    ...{ requestHeaders: {}, responseStatus: 200, responseHeaders: {}, responseBody: null },
    truncated: false,
  }
  await store.commit({ tenant: null, puts: [{ in: 'attempts', row, was: null }] })
}

/** The first row of a collection that fits, its texts in clear: sealed for its place, they open in no copy of the row. */
function storedRow({ store }: World, name: string, fits: (row: Row) => boolean): Row {
  const declared = collections.find((each) => each.name === name) as Collection | undefined
  assert.ok(declared, name)
  const found = store.rows(declared).find(({ row }) => fits(row as Row))
  assert.ok(found, `a row of ${name}`)
  return openedTexts(declared, plainSealer(), found.row as Record<string, unknown>)
}

/** A closed case whose outcome callback was tried once. */
async function called(world: World): Promise<void> {
  const { store, home, service, clock } = world
  const callback = { url: 'https://stock.example/outcome', enabled: true }
  const { applicationId, tenantId } = home.app
  value(
    await service.applications.setOutcomeCallback(home.admin.actor, { applicationId, ...callback }),
  )
  const { reviewCaseId } = await world.opened(home.app)
  const app = { kind: 'application', ...home.app } as const
  const reasonCategory = 'end_user_cancelled'
  value(await service.reviewCases.cancel(app, { reviewCaseId, reasonCategory }))
  const owed = storedRow(world, 'deliveries', ({ kind }) => kind === 'callback')
  const row = {
    ...{ endpointId: applicationId, attemptId: lateId(1_000_000), deliveryId: owed.deliveryId },
    ...{ tenantId, applicationId, type: 'review.outcome', messageId: owed.messageId },
    ...{ family: 'standard', attempt: 1, trigger: 'event', startedAt: clock.now(), latencyMs: 1 },
    ...{ outcome: 'delivered', error: null, requestHeaders: {}, responseStatus: 200 },
    ...{ responseHeaders: {}, responseBody: null, truncated: false },
  }
  await store.commit({ tenant: null, puts: [{ in: 'attempts', row, was: null }] })
}

async function onSession(world: World, act: () => Promise<unknown>): Promise<void> {
  await world.storeSession(world.home.app, session)
  await act()
}

/** The row of another operation's sample, which makes what the list holds. */
async function sampled(world: World, key: string): Promise<void> {
  const row = routes.find((each) => keyOf(each) === key)
  assert.ok(row, key)
  await sampleOf(row, world)
}

export const stocks: Readonly<Record<string, Stock>> = {
  'portal reviewCases.list': {
    collection: 'reviewCases',
    first: (world) => world.opened(world.home.app),
    ...ids('rc', 'reviewCaseId', (n) => ({
      sessionId: `ses_${n % 5_000}`,
      checkpointId: `c_${n}`,
      state: isRare(n) ? states[n % 4] : 'decided',
      reviewTier: isRare(n) ? tiers[n % 3] : 'standard',
      assigneeId: isRare(n) || n % 2 === 0 ? null : 'mem_other',
    })),
    samples: {
      state: ['open', 'expired'],
      tier: ['urgent'],
      assignee: ['me', 'none'],
      applicationId: ['$applicationId'],
      sessionId: ['ses_7'],
    },
  },
  'portal portal.listQueue': {
    collection: 'reviewCases',
    first: (world) => world.opened(world.home.app),
    copy: (n) => ({
      ...{ reviewCaseId: numbered('rc', n), checkpointId: `c_${n}`, duePlace: queuePlace(n) },
      state: isRare(n) ? states[n % 4] : 'open',
      reviewTier: isRare(n) ? tiers[n % 3] : 'standard',
      assigneeId: isRare(n) || n % 2 === 0 ? null : 'mem_other',
      followUp: isRare(n) ? 'answered' : null,
      idleSince: isRare(n) ? 1 : null,
    }),
    cursor: queuePlace,
    samples: {
      state: ['open', 'expired'],
      assignee: ['me', 'none'],
      tier: ['urgent'],
      applicationId: ['$applicationId'],
      overdue: ['true', 'false'],
      followUp: ['asked', 'answered'],
      idleMinutes: ['30'],
    },
  },
  'portal sessions.list': {
    collection: 'sessions',
    first: (world) => world.storeSession(world.home.app, session),
    copy: (n) => ({
      sessionId: numbered('s', n),
      place: numbered('1', n),
      status: isRare(n) ? 'failed' : 'completed',
      origin: isRare(n) ? 'submission' : 'otlp',
      dataSubjectId: isRare(n) ? `sub_${'0'.repeat(26)}` : null,
      flagged: isRare(n) ? 1 : 0,
      underReview: isRare(n) ? 1 : 0,
      quality: isRare(n) ? 10 : 900,
    }),
    cursor: (n) => numbered('1', n),
    samples: {
      applicationId: ['$applicationId'],
      status: ['failed', 'completed'],
      origin: ['submission', 'otlp'],
      from: ['2026-01-01T00:00:00Z'],
      until: ['2027-01-01T00:00:00Z'],
      flagged: ['true', 'false'],
      openReview: ['true', 'false'],
      dataSubjectId: [`sub_${'0'.repeat(26)}`],
      minQuality: ['50'],
      maxQuality: ['50'],
    },
  },
  'portal webhooks.deliveryLogs': {
    collection: 'attempts',
    first: attempted,
    copy: (n) => ({ attemptId: lateId(n) }),
    cursor: lateId,
    samples: {},
  },
  'portal reviewCases.listCallbackAttempts': {
    collection: 'attempts',
    first: called,
    copy: (n) => ({ attemptId: lateId(n) }),
    cursor: lateId,
    samples: {},
  },
  'portal reviewEvents.list': {
    collection: 'deliveries',
    first: async (world) => {
      await world.opened(world.home.app)
    },
    ...ids('evt', 'messageId', () => ({ due: null, status: 'delivered' })),
    samples: {},
  },
  'portal webhooks.listDeliveries': {
    collection: 'deliveries',
    first: async (world) => {
      await world.opened(world.home.app)
    },
    ...ids('evt', 'messageId', (n) => ({
      due: null,
      status: isRare(n) ? 'dead_lettered' : 'delivered',
      type: isRare(n) ? 'session.flagged' : 'review.case.created',
    })),
    samples: {
      status: ['dead_lettered', 'delivered'],
      type: ['session.flagged', 'review.case.created'],
      from: ['1970-01-01T00:00:00Z'],
      until: ['2027-01-01T00:00:00Z'],
    },
  },
  'portal members.list': {
    collection: 'members',
    first: async () => {},
    ...ids('mem', 'memberId', (n) => ({
      email: `copy${n}@home.example`,
      emailKey: `copy${n}@home.example`,
      status: isRare(n) ? 'Suspended' : 'Active',
    })),
    samples: { status: ['Suspended', 'Active'] },
  },
  'portal invitations.list': {
    collection: 'invitations',
    first: (world) => sampled(world, 'POST portal /v1/customer/invitations/:invitationId/resend'),
    ...ids('inv', 'invitationId', (n) => ({ tokenHash: `hash ${n}`, status: 'withdrawn' })),
    samples: {},
  },
  'portal customerKeys.list': {
    collection: 'customerKeys',
    first: async () => {},
    ...ids('key', 'keyId', (n) => ({ hash: `hash ${n}`, prefix: `prefix ${n}` })),
    samples: {},
  },
  'portal keyRequests.list': {
    collection: 'keyRequests',
    first: (world) => sampled(world, 'GET portal /v1/customer-keys/requests/:requestId'),
    ...ids('req', 'requestId', keyRequestCopy),
    samples: {},
  },
  'staff keyRequests.list': {
    collection: 'keyRequests',
    first: (world) => sampled(world, 'GET portal /v1/customer-keys/requests/:requestId'),
    ...ids('req', 'requestId', keyRequestCopy),
    samples: { status: ['submitted', 'executed'] },
  },
  'portal anchors.list': {
    collection: 'anchors',
    first: (world) => world.storeSession(world.home.app, session),
    copy: (n) => ({ sequence: n + 10 }),
    cursor: (n) => String(n + 10),
    samples: {},
  },
  'portal sessions.listSteps': {
    collection: 'steps',
    first: (world) => world.storeSession(world.home.app, session),
    copy: (n) => ({ stepId: numbered('step', n), place: numbered('place', n) }),
    cursor: (n) => numbered('place', n),
    samples: {},
  },
  'portal flags.list': {
    collection: 'sessionFlags',
    first: (world) =>
      onSession(world, async () =>
        value(
          await world.service.flags.raise(world.reviewer.actor, {
            sessionId: session,
            flag: 'safety',
          }),
        ),
      ),
    ...ids('flag', 'flagId', () => ({ state: 'cleared' })),
    samples: {},
  },
  'portal annotations.list': {
    collection: 'sessionAnnotations',
    first: (world) =>
      onSession(world, async () =>
        value(
          await world.service.annotations.create(world.reviewer.actor, {
            sessionId: session,
            text: 'x',
          }),
        ),
      ),
    ...ids('note', 'annotationId'),
    samples: {},
  },
  'portal sessionReviews.list': {
    collection: 'sessionReviews',
    first: (world) =>
      onSession(world, async () =>
        value(
          await world.service.sessionReviews.create(world.reviewer.actor, {
            sessionId: session,
            decision: 'approved',
          }),
        ),
      ),
    ...ids('rev', 'sessionReviewId'),
    samples: {},
  },
  'portal erasureRequests.list': {
    collection: 'erasureRequests',
    first: (world) => sampled(world, 'GET portal /v1/gdpr/erasure-requests/:erasureRequestId'),
    ...ids('ers', 'erasureRequestId', () => ({ underWay: 0, status: 'rejected' })),
    samples: {},
  },
  'portal legalHolds.list': {
    collection: 'legalHolds',
    first: (world) => sampled(world, 'POST portal /v1/gdpr/legal-holds/:holdId/release'),
    ...ids('hold', 'holdId', (n) => ({ active: isRare(n) ? 1 : 0 })),
    samples: { active: ['true', 'false'] },
  },
  'portal evidencePackages.list': {
    collection: 'evidencePackages',
    first: (world) => sampled(world, 'GET portal /v1/evidence-packages/:packageId'),
    ...ids('exp', 'packageId'),
    samples: {},
  },
  'ingest reviewerKeys.list': {
    collection: 'authenticators',
    first: (world) =>
      sampled(
        world,
        'DELETE portal /v1/customer/members/:memberId/authenticators/:authenticatorId',
      ),
    ...ids('aut', 'authenticatorId', (n) => ({ credentialId: numbered('crd', n) })),
    samples: {},
  },
  'staff purgePoison.list': {
    collection: 'purges',
    first: (world) => sampled(world, 'POST staff /v1/staff/purge-poison/:messageId/requeue'),
    copy: (n) => ({ messageId: numbered('prg', n), applicationId: numbered('app', n) }),
    cursor: (n) => numbered('prg', n),
    samples: {},
  },
}

/** Copies of the first row of a stock's collection, in the store. */
export async function fill(
  world: World,
  { collection, first, copy }: Stock,
  count: number,
): Promise<Collection> {
  await first(world)
  const declared = collections.find(({ name }) => name === collection) as Collection | undefined
  assert.ok(declared, collection)
  const { tenantId } = world.home
  const template = storedRow(world, collection, (row) => row.tenantId === tenantId)
  const all = collections as readonly unknown[] as readonly Collection[]
  const store = withOpenTexts(world.store, { collections: all, sealer: plainSealer() })
  const piece = 500
  for (let at = 0; at < count; at += piece)
    await store.commit({
      tenant: null,
      puts: Array.from({ length: Math.min(piece, count - at) }, (_, more) => ({
        in: collection,
        was: null,
        row: { ...template, ...copy(at + more) },
      })),
    })
  return declared
}

/** The path of a list of the home organization. */
export function pathOfList(world: World, { path }: Route): string {
  const closed = () => storedRow(world, 'reviewCases', ({ state }) => state !== 'open')
  return path
    .replace(':reviewCaseId', () => String(closed().reviewCaseId))
    .replace(':webhookId', world.home.webhookId)
    .replace(':sessionId', session)
    .replace(':applicationId', world.home.app.applicationId)
}
