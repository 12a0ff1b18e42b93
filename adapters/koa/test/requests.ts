import type { CaseView, CustomerKeyActor, InvitationView, Submission } from '@countersign/core'
import { caseSeals, type StoredSession } from '@countersign/core/internal'
import { put } from '@countersign/core/ledger'
import type { Route } from '../index.ts'
import { authenticatorRequests } from './authenticator-requests.ts'
import { providerRequests } from './provider-requests.ts'
import { sampleKeyOf, samples } from './samples.ts'
import { newCase, password, type Sender, start, value, type World } from './world.ts'

/** Who may ask for a route, as the interface says it; the test's own word, not the core's table. */
export type Audience =
  | 'anyone'
  | 'members'
  | 'admins'
  | 'reviewers'
  | 'integrators'
  | 'reviewers or integrators'
  | 'application'
  | 'ingest keys'
  | 'staff'

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
  ...authenticatorRequests,
  ...providerRequests,
  'POST portal /v1/auth/login': ({ auditor }) => ({
    audience: 'anyone',
    body: { email: auditor.email, password },
  }),
  'POST portal /v1/auth/logout': () => ({ audience: 'members' }),
  'GET portal /v1/auth/session': () => ({ audience: 'members' }),

  'POST portal /v1/auth/password': () => ({ audience: 'members', body: { current: password } }),
  'POST portal /v1/auth/password/reset': ({ auditor }) => ({
    audience: 'anyone',
    body: { email: auditor.email },
  }),
  'POST portal /v1/auth/password/reset/accept': async ({ service, auditor }) => {
    const { email } = auditor
    const { resetUrl } = value(await service.auth.issuePasswordReset({ kind: 'system' }, { email }))
    return { audience: 'anyone', body: { token: new URL(resetUrl).hash.slice(1) } }
  },

  'POST portal /v1/auth/invitation': async (world) => {
    const { acceptUrl } = await invited(world)
    return { audience: 'anyone', body: { token: new URL(acceptUrl ?? '').hash.slice(1) } }
  },
  'POST portal /v1/auth/accept-invitation': async (world) => {
    const { acceptUrl } = await invited(world)
    return { audience: 'anyone', body: { token: new URL(acceptUrl ?? '').hash.slice(1) } }
  },

  'GET portal /v1/customer/members': () => ({
    audience: 'members',
    list: { items: 'members', whole: false },
  }),
  'PUT portal /v1/customer/members/:memberId/role': async (world) => ({
    audience: 'admins',
    ids: { memberId: await newMember(world) },
  }),
  'POST portal /v1/customer/members/:memberId/deactivate': async (world) => ({
    audience: 'admins',
    ids: { memberId: await newMember(world) },
  }),
  'POST portal /v1/customer/members/:memberId/reactivate': async (world) => {
    const memberId = await newMember(world)
    const { service, home } = world
    value(await service.members.deactivate(home.admin.actor, { memberId, confirm: true }))
    return { audience: 'admins', ids: { memberId } }
  },
  'GET portal /v1/customer/invitations': () => ({
    audience: 'members',
    list: { items: 'invitations', whole: false },
  }),
  'POST portal /v1/customer/invitations': () => ({
    audience: 'admins',
    body: { email: `invited${++invitees}@home.example` },
  }),
  'POST portal /v1/customer/invitations/:invitationId/resend': async (world) => ({
    audience: 'admins',
    ids: { invitationId: (await invited(world)).invitationId },
  }),
  'DELETE portal /v1/customer/invitations/:invitationId': async (world) => ({
    audience: 'admins',
    ids: { invitationId: (await invited(world)).invitationId },
  }),
  'GET portal /v1/customer/profile': () => ({ audience: 'members' }),
  'PUT portal /v1/customer/profile': () => ({ audience: 'admins' }),
  'GET portal /v1/customer/entitlements': () => ({ audience: 'members' }),
  'GET portal /v1/customer/audit-log': () => ({
    audience: 'members',
    list: { items: 'entries', whole: false },
  }),

  'GET portal /v1/applications': () => ({
    audience: 'members',
    list: { items: 'applications', whole: false },
  }),
  'POST portal /v1/applications': () => ({ audience: 'admins' }),
  'GET portal /v1/applications/:applicationId': ({ home }) => ({
    audience: 'members',
    ids: { applicationId: home.app.applicationId },
  }),
  'PUT portal /v1/applications/:applicationId': ({ home }) => ({
    audience: 'admins',
    ids: { applicationId: home.app.applicationId },
  }),
  'POST portal /v1/applications/:applicationId/promote': async (world) => ({
    audience: 'admins',
    ids: { applicationId: await newApplication(world) },
  }),
  'DELETE portal /v1/applications/:applicationId/purge': async (world) => ({
    audience: 'admins',
    ids: { applicationId: await newApplication(world) },
  }),
  'POST portal /v1/applications/:applicationId/purge/cancel': async (world) => {
    const applicationId = await newApplication(world)
    value(
      await world.service.applications.requestDeletion(world.home.admin.actor, { applicationId }),
    )
    return { audience: 'admins', ids: { applicationId } }
  },
  'PUT portal /v1/applications/:applicationId/outcome-callback': ({ home }) => ({
    audience: 'admins',
    ids: { applicationId: home.app.applicationId },
  }),
  'DELETE portal /v1/applications/:applicationId/outcome-callback': async (world) => {
    const { applicationId } = world.home.app
    await setCallback(world, applicationId)
    return { audience: 'admins', ids: { applicationId } }
  },
  'POST portal /v1/applications/:applicationId/outcome-callback/rotate-secret': async (world) => {
    const { applicationId } = world.home.app
    await setCallback(world, applicationId, 'shared_secret')
    return { audience: 'admins', ids: { applicationId } }
  },
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

  'GET portal /v1/customer-keys': () => ({
    audience: 'members',
    list: { items: 'customerKeys', whole: true },
  }),
  'POST portal /v1/customer-keys/issue': ({ home }) => ({
    audience: 'admins',
    body: { applicationId: home.app.applicationId },
  }),
  'DELETE portal /v1/customer-keys/:keyId': ({ home }) => ({
    audience: 'admins',
    ids: { keyId: home.app.ingest.keyId },
  }),

  'GET portal /v1/customer/signing-keys': () => ({ audience: 'members' }),
  'POST portal /v1/customer/signing-keys/rotate': async ({ service, home }) => {
    // An organization has its first key once a webhook is signed with it.
    const signing = { method: 'ed25519' } as const
    value(await service.webhooks.update(home.admin.actor, { webhookId: home.webhookId, signing }))
    return { audience: 'admins' }
  },
  'POST portal /v1/customer-keys/requests/:action': async (world) => ({
    audience: 'admins',
    ids: { action: 'issue-customer-key' },
    optional: { applicationId: (await world.home.newApp()).applicationId },
  }),
  'GET portal /v1/customer-keys/requests': () => ({
    audience: 'members',
    list: { items: 'keyRequests', whole: false },
  }),
  'GET portal /v1/customer-keys/requests/:requestId': async (world) => ({
    audience: 'members',
    ids: { requestId: await keyRequest(world, 'submitted') },
  }),
  'POST portal /v1/customer-keys/requests/:requestId/cancel': async (world) => ({
    audience: 'admins',
    ids: { requestId: await keyRequest(world, 'submitted') },
  }),
  'POST portal /v1/customer-keys/requests/:requestId/reveal': async (world) => ({
    audience: 'admins',
    ids: { requestId: await keyRequest(world, 'executed') },
  }),
  'GET staff /v1/staff/key-requests': () => ({
    audience: 'staff',
    list: { items: 'keyRequests', whole: false },
  }),
  'POST staff /v1/staff/key-requests/:requestId/approve': async (world) => ({
    audience: 'staff',
    ids: { requestId: await keyRequest(world, 'submitted') },
  }),
  'POST staff /v1/staff/key-requests/:requestId/execute': async (world) => ({
    audience: 'staff',
    ids: { requestId: await keyRequest(world, 'approved') },
  }),
  'POST staff /v1/staff/key-requests/:requestId/reject': async (world) => ({
    audience: 'staff',
    ids: { requestId: await keyRequest(world, 'approved') },
  }),
  'PUT staff /v1/staff/customer-keys/:keyId/rate': ({ away }) => ({
    audience: 'staff',
    ids: { keyId: away.app.ingest.keyId },
  }),

  'GET portal /v1/applications/:applicationId/reviewer-guidelines': ({ home }) => ({
    audience: 'members',
    ids: { applicationId: home.app.applicationId },
  }),
  'PUT portal /v1/applications/:applicationId/reviewer-guidelines': ({ home }) => ({
    audience: 'admins',
    ids: { applicationId: home.app.applicationId },
  }),
  'GET portal /v1/applications/:applicationId/policy-rules': ({ home }) => ({
    audience: 'members',
    ids: { applicationId: home.app.applicationId },
  }),
  'GET portal /v1/applications/:applicationId/redaction-policies': ({ home }) => ({
    audience: 'members',
    ids: { applicationId: home.app.applicationId },
  }),
  'GET portal /v1/applications/:applicationId/ingest-rules': ({ home }) => ({
    audience: 'members',
    ids: { applicationId: home.app.applicationId },
  }),
  'PUT portal /v1/applications/:applicationId/policy-rules': ({ home }) => ({
    audience: 'admins',
    ids: { applicationId: home.app.applicationId },
  }),
  'PUT portal /v1/applications/:applicationId/redaction-policies': ({ home }) => ({
    audience: 'admins',
    ids: { applicationId: home.app.applicationId },
  }),
  'PUT portal /v1/applications/:applicationId/ingest-rules': ({ home }) => ({
    audience: 'admins',
    ids: { applicationId: home.app.applicationId },
  }),
  'POST portal /v1/gdpr/subjects/lookup': () => ({ audience: 'admins' }),
  'POST portal /v1/gdpr/erasure-requests': async (world) => ({
    audience: 'admins',
    body: { dataSubjectId: await storedSubject(world) },
    optional: { applicationId: world.home.app.applicationId },
  }),
  'GET portal /v1/gdpr/erasure-requests': () => ({
    audience: 'members',
    list: { items: 'erasureRequests', whole: false },
  }),
  'GET portal /v1/gdpr/erasure-requests/:erasureRequestId': async (world) => ({
    audience: 'members',
    ids: { erasureRequestId: await erasure(world) },
  }),
  'POST portal /v1/gdpr/erasure-requests/:erasureRequestId/reject': async (world) => ({
    audience: 'admins',
    ids: { erasureRequestId: await erasure(world) },
  }),
  'GET portal /v1/gdpr/erasure-requests/:erasureRequestId/certificate': async (world) => {
    const erasureRequestId = await erasure(world)
    const certificate = samples['portal erasureRequests.certificate']?.answer
    const done = { status: 'completed', underWay: 0, certificate }
    await world.alter('erasureRequests', { erasureRequestId }, done)
    return { audience: 'members', ids: { erasureRequestId } }
  },
  'POST portal /v1/gdpr/legal-holds': ({ home }) => ({
    audience: 'admins',
    optional: { applicationId: home.app.applicationId },
  }),
  'GET portal /v1/gdpr/legal-holds': () => ({
    audience: 'members',
    list: { items: 'legalHolds', whole: false },
  }),
  'POST portal /v1/gdpr/legal-holds/:holdId/release': async ({ service, home }) => {
    const hold = { dataSubjectId: 'user-17', matter: 'Case 12' }
    const { holdId } = value(await service.legalHolds.place(home.admin.actor, hold))
    return { audience: 'admins', ids: { holdId } }
  },

  'GET portal /v1/customer/notification-channels': async (world) => {
    await channel(world)
    return { audience: 'members', list: { items: 'notificationChannels', whole: false } }
  },
  'POST portal /v1/customer/notification-channels': () => ({ audience: 'admins' }),
  'GET portal /v1/customer/notification-channels/:channelId': async (world) => ({
    audience: 'members',
    ids: await channel(world),
  }),
  'PUT portal /v1/customer/notification-channels/:channelId': async (world) => ({
    audience: 'admins',
    ids: await channel(world),
  }),
  'DELETE portal /v1/customer/notification-channels/:channelId': async (world) => ({
    audience: 'admins',
    ids: await channel(world),
  }),
  'POST portal /v1/customer/notification-channels/:channelId/test': async (world) => ({
    audience: 'admins',
    ids: await channel(world),
  }),
  'GET portal /v1/alert-rules': async (world) => {
    await alertRule(world)
    return { audience: 'members', list: { items: 'alertRules', whole: false } }
  },
  'POST portal /v1/alert-rules': () => ({ audience: 'admins' }),
  'GET portal /v1/alert-rules/:alertRuleId': async (world) => ({
    audience: 'members',
    ids: await alertRule(world),
  }),
  'PUT portal /v1/alert-rules/:alertRuleId': async (world) => ({
    audience: 'admins',
    ids: await alertRule(world),
  }),
  'DELETE portal /v1/alert-rules/:alertRuleId': async (world) => ({
    audience: 'admins',
    ids: await alertRule(world),
  }),
  'GET portal /v1/applications/:applicationId/scores': ({ home }) => ({
    audience: 'members',
    ids: { applicationId: home.app.applicationId },
  }),
  'GET portal /v1/sessions/:sessionId/flags': async (world) => ({
    audience: 'members',
    ids: await reviewable(world),
    list: { items: 'flags', whole: false },
  }),
  'POST portal /v1/sessions/:sessionId/flags': async (world) => ({
    audience: 'reviewers',
    ids: await reviewable(world),
  }),
  'DELETE portal /v1/sessions/:sessionId/flags/:flagId': async (world) => {
    const ids = await reviewable(world)
    const { flags } = world.service
    const raised = await flags.raise(world.home.admin.actor, {
      sessionId: ids.sessionId,
      flag: 'other',
    })
    return { audience: 'reviewers', ids: { ...ids, flagId: value(raised).flagId } }
  },
  'GET portal /v1/sessions/:sessionId/annotations': async (world) => ({
    audience: 'members',
    ids: await reviewable(world),
    list: { items: 'annotations', whole: false },
  }),
  'POST portal /v1/sessions/:sessionId/annotations': async (world) => ({
    audience: 'reviewers',
    ids: await reviewable(world),
  }),
  'DELETE portal /v1/sessions/:sessionId/annotations/:annotationId': async (world) => {
    const ids = await reviewable(world)
    const { annotations } = world.service
    const made = await annotations.create(world.reviewer.actor, {
      sessionId: ids.sessionId,
      text: 'seen',
    })
    return { audience: 'reviewers', ids: { ...ids, annotationId: value(made).annotationId } }
  },
  'GET portal /v1/sessions/:sessionId/reviews': async (world) => ({
    audience: 'members',
    ids: await reviewable(world),
    list: { items: 'sessionReviews', whole: false },
  }),
  'POST portal /v1/sessions/:sessionId/reviews': async (world) => ({
    audience: 'reviewers',
    ids: await reviewable(world),
  }),

  'POST ingest /v1/review-cases': ({ auditor }) => ({
    audience: 'application',
    body: newCase(),
    optional: { requestedBy: auditor.actor.memberId },
  }),
  'GET ingest /v1/review-cases': async (world) => {
    const { sessionId, checkpoint } = await opened(world)
    const { checkpointId } = checkpoint
    return { audience: 'application', query: `${new URLSearchParams({ sessionId, checkpointId })}` }
  },
  'GET ingest /v1/review-cases/:reviewCaseId': async (world) => ({
    audience: 'application',
    ids: idOf(await opened(world)),
  }),
  'GET ingest /v1/review-cases/:reviewCaseId/proof': async (world) => ({
    audience: 'application',
    ids: idOf(await sealed(world)),
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

  'POST ingest /v1/ingest/otlp': () => ({
    audience: 'ingest keys',
    body: { resourceSpans: [] },
  }),
  'POST ingest /v1/ingest/sessions': () => ({ audience: 'ingest keys' }),
  'GET ingest /v1/ingest/batches/:batchId': async (world) => {
    await submitted(world)
    return { audience: 'ingest keys', ids: { batchId: 'batch-1' } }
  },
  'GET ingest /v1/ingest/usage': () => ({ audience: 'ingest keys' }),

  'GET portal /v1/sessions': async (world) => {
    await submitted(world)
    return { audience: 'members', list: { items: 'sessions', whole: false } }
  },
  'GET portal /v1/sessions/:sessionId': async (world) => ({
    audience: 'members',
    ids: await submitted(world),
  }),
  'GET portal /v1/sessions/:sessionId/steps': async (world) => ({
    audience: 'members',
    ids: await submitted(world),
    list: { items: 'steps', whole: false },
  }),
  'GET portal /v1/sessions/:sessionId/steps/:stepId': async (world) => ({
    audience: 'members',
    ids: { ...(await submitted(world)), stepId: 'step-1' },
  }),
  'GET portal /v1/sessions/:sessionId/proof': async (world) => ({
    audience: 'members',
    ids: await submitted(world),
  }),
  'GET portal /v1/anchors': () => ({
    audience: 'members',
    list: { items: 'anchors', whole: false },
  }),

  'GET portal /v1/review-cases': async (world) => {
    await opened(world)
    return { audience: 'reviewers', list: { items: 'reviewCases', whole: false } }
  },
  'GET portal /v1/portal/summary': () => ({ audience: 'members' }),
  'GET portal /v1/portal/notices': () => ({ audience: 'reviewers' }),
  'PUT portal /v1/portal/notices': () => ({
    audience: 'reviewers',
    body: { reviewWaiting: false },
  }),
  'GET portal /v1/portal/review-statistics': () => ({ audience: 'admins' }),
  'GET portal /v1/portal/review-queue': async (world) => {
    await opened(world)
    return { audience: 'reviewers', list: { items: 'queue', whole: false } }
  },
  'GET portal /v1/review-cases/:reviewCaseId': async (world) => ({
    audience: 'reviewers',
    ids: idOf(await opened(world)),
  }),
  'GET portal /v1/review-cases/:reviewCaseId/proof': async (world) => ({
    audience: 'reviewers',
    ids: idOf(await sealed(world)),
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
  'POST portal /v1/review-cases/:reviewCaseId/decision-statement': async (world) => {
    const review = await claimed(world)
    const { caseVersion, presentationDigest } = review
    return {
      audience: 'reviewers',
      ids: idOf(review),
      body: { caseVersion, presentationDigest },
      anything: ['response'],
      granted: { status: 409, code: 'signature_required' },
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
    granted: { status: 409, code: 'callback_not_configured' },
  }),
  'GET portal /v1/review-cases/:reviewCaseId/callback/attempts': async (world) => ({
    audience: 'reviewers',
    ids: idOf(await decided(world)),
    list: { items: 'attempts', whole: false },
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
    value(await service.webhooks.turnOff(home.admin.actor, { webhookId: home.webhookId }))
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
  'GET portal /v1/webhooks/:webhookId/deliveries': async (world) => {
    await eventOf(world)
    return { audience: 'members', ids: { webhookId: world.home.webhookId } }
  },
  'GET portal /v1/webhooks/:webhookId/deliveries/:eventId': async (world) => ({
    audience: 'members',
    ids: { webhookId: world.home.webhookId, eventId: await eventOf(world) },
  }),
  'POST portal /v1/webhooks/:webhookId/deliveries/:eventId/replay': async (world) => ({
    audience: 'integrators',
    ids: { webhookId: world.home.webhookId, eventId: await eventOf(world) },
  }),
  'POST portal /v1/webhooks/:webhookId/recover': ({ home }) => ({
    audience: 'integrators',
    ids: { webhookId: home.webhookId },
  }),
  'GET portal /v1/webhooks/:webhookId/missed-windows': ({ home }) => ({
    audience: 'members',
    ids: { webhookId: home.webhookId },
  }),
  'GET portal /v1/webhooks/:webhookId/statistics': ({ home }) => ({
    audience: 'members',
    ids: { webhookId: home.webhookId },
  }),
  'GET portal /v1/portal/events/:eventId': async (world) => ({
    audience: 'integrators',
    ids: { eventId: await eventOf(world) },
  }),
  'GET portal /v1/review-events': ({ home }) => ({
    audience: 'integrators',
    query: `subscriptionId=${home.webhookId}`,
    list: { items: 'events', whole: false },
  }),
  'GET portal /v1/sessions/:sessionId/evidence': sessionToExport,
  'GET portal /v1/sessions/:sessionId/export/csv': sessionToExport,
  'GET portal /v1/sessions/:sessionId/evidence-pack': sessionToExport,
  'GET portal /v1/sessions/:sessionId/blockchain-certificate': sessionToExport,
  'POST portal /v1/applications/evidence/bulk-export': ({ home }) => ({
    audience: 'members',
    body: { applicationIds: [home.app.applicationId] },
  }),
  'POST portal /v1/applications/auditor-pack': ({ home }) => ({
    audience: 'members',
    body: { applicationIds: [home.app.applicationId] },
  }),
  'POST portal /v1/gdpr/subject-pack': async (world) => ({
    audience: 'admins',
    body: { dataSubjectId: await storedSubject(world) },
  }),
  'GET portal /v1/evidence-packages': async (world) => {
    await packageToRead(world)
    return { audience: 'members', list: { items: 'packages', whole: false } }
  },
  'GET portal /v1/evidence-packages/:packageId': packageToRead,
  'GET portal /v1/evidence-packages/:packageId/download': packageToRead,
  'GET portal /.well-known/evidence-keys/:tenantId': async (world) => {
    await sessionToExport(world)
    return { audience: 'anyone', ids: { tenantId: world.home.tenantId } }
  },
  'POST staff /v1/staff/tenants/:tenantId/suspend': ({ away }) => ({
    audience: 'staff',
    ids: { tenantId: away.tenantId },
  }),
  'PUT staff /v1/staff/tenants/:tenantId/plan': ({ away }) => ({
    audience: 'staff',
    ids: { tenantId: away.tenantId },
  }),
  'POST staff /v1/staff/tenants/:tenantId/resume': ({ away }) => ({
    audience: 'staff',
    ids: { tenantId: away.tenantId },
  }),
  'POST staff /v1/staff/tenants/:tenantId/deletion': async (world) => ({
    audience: 'staff',
    ids: { tenantId: await newTenant(world) },
  }),
  'DELETE staff /v1/staff/tenants/:tenantId/deletion': async (world) => {
    const tenantId = await newTenant(world)
    value(
      await world.service.tenants.requestDeletion(
        { kind: 'system' },
        {
          tenantId,
          ticket: '4712',
          identity: { method: 'video call', verifiedBy: 'security', verifiedAt: start },
          authorizationForm: { sha256: '0'.repeat(64), signedBy: 'Ada', signedAt: start },
        },
      ),
    )
    return { audience: 'staff', ids: { tenantId } }
  },
  'GET staff /v1/staff/purge-poison': () => ({
    audience: 'staff',
    list: { items: 'messages', whole: false },
  }),
  'POST staff /v1/staff/purge-poison/:messageId/requeue': async (world) => ({
    audience: 'staff',
    ids: { messageId: await poisoned(world) },
  }),
  'POST staff /v1/staff/purge-poison/:messageId/resolve': async (world) => ({
    audience: 'staff',
    ids: { messageId: await poisoned(world) },
  }),
  'GET staff /openapi.json': () => ({ audience: 'anyone' }),
  'GET ingest /openapi.json': () => ({ audience: 'anyone' }),
  'GET portal /openapi.json': () => ({ audience: 'anyone' }),
  'GET portal /v1/event-catalog': () => ({ audience: 'anyone' }),
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
export function entitled({ audience }: Sample, world: World): Sender {
  switch (audience) {
    case 'anyone':
      return null
    case 'application':
      return world.home.app
    case 'ingest keys':
      return world.home.app.ingest
    case 'staff':
      return world.staff
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

let invitees = 0

async function invited({ service, home }: World): Promise<InvitationView> {
  const email = `invited${++invitees}@home.example`
  return value(await service.invitations.create(home.admin.actor, { email }))
}

/** A member whose sessions nobody else needs. */
async function newMember({ home }: World): Promise<string> {
  return (await home.person('CustomerAuditor', [])).actor.memberId
}

let made = 0

/** An organization that no other row needs. */
async function newTenant({ service }: World): Promise<string> {
  const admin = { name: 'Ada', email: `short-lived${++made}@example.com`, password }
  const tenant = await service.tenants.create({ kind: 'system' }, { name: 'Brief', admin })
  return value(tenant).tenant.tenantId
}

/** The message of a purge that failed for the last time. */
async function poisoned(world: World): Promise<string> {
  const messageId = `prg_${String(++made).padStart(26, '0')}`
  const row = {
    tenantId: world.home.tenantId,
    applicationId: await newApplication(world),
    messageId,
    state: 'poisoned',
    progress: {
      phase: 'blobs',
      part: 0,
      after: null,
      blobs: [],
      counts: { sessions: 0, blobs: 0, salts: 0 },
    },
    attempts: 5,
    firstFailedAt: start,
    lastError: 'Error: a broken disk',
    startedAt: start,
  }
  await world.store.commit({ tenant: null, puts: [{ in: 'purges', row, was: null }] })
  return messageId
}

/** An application of the home tenant that no other row needs. */
async function newApplication({ service, home }: World): Promise<string> {
  const made = await service.applications.create(home.admin.actor, { name: 'Short-lived' })
  return value(made).applicationId
}

async function setCallback(
  { service, home }: World,
  applicationId: string,
  method: 'ed25519' | 'shared_secret' = 'ed25519',
): Promise<void> {
  const callback = { url: 'https://app.example/outcomes', enabled: true, signing: { method } }
  value(
    await service.applications.setOutcomeCallback(home.admin.actor, { applicationId, ...callback }),
  )
}

let sessions = 0

/** A stored session of a tenant whose evidence key is there: the first export makes it. */
async function sessionToExport(world: World): Promise<Sample> {
  const sessionId = `ses_${++sessions}`
  await world.storeSession(world.home.app, sessionId)
  value(await world.service.evidence.read(world.home.admin.actor, { sessionId }))
  return { audience: 'members', ids: { sessionId } }
}

/** A package of an application without sessions. */
async function packageToRead({ home, service }: World): Promise<Sample> {
  const { applicationId } = home.app
  const input = { applicationIds: [applicationId] }
  const { packageId, pieces } = value(
    await service.evidencePackages.exportBulk(home.admin.actor, input),
  )
  for await (const _ of pieces);
  return { audience: 'members', ids: { packageId } }
}

function idOf({ reviewCaseId }: CaseView) {
  return { reviewCaseId }
}

/** The session of the sample, submitted. */
async function submitted(world: World): Promise<{ readonly sessionId: string }> {
  const sample = samples['ingest ingest.submit']
  const { tenantId, applicationId, keyId } = world.home.app.ingest
  const actor: CustomerKeyActor = {
    kind: 'customerKey',
    ...{ tenantId, applicationId, keyId },
    type: 'primary ingest',
    ratePerMinute: null,
  }
  const made = value(
    await world.service.ingest.submit(actor, sample?.body as unknown as Submission),
  )
  return { sessionId: made.sessions[0]?.sessionId ?? '' }
}

const opened = (world: World) => world.opened(world.home.app)

async function claimed(world: World): Promise<CaseView> {
  const { reviewCaseId } = await opened(world)
  return value(await world.service.reviewCases.claim(world.reviewer.actor, { reviewCaseId }))
}

async function questioned(world: World): Promise<CaseView> {
  const { reviewCaseId, caseVersion } = await claimed(world)
  const input = { caseVersion, question: 'Why?' }
  return value(
    await world.service.reviewCases.requestFollowUp(world.reviewer.actor, {
      reviewCaseId,
      ...input,
    }),
  )
}

async function decided(world: World): Promise<CaseView> {
  const { reviewCaseId, caseVersion, presentationDigest } = await claimed(world)
  return value(
    await world.service.reviewCases.decide(world.reviewer.actor, {
      reviewCaseId,
      caseVersion,
      presentationDigest: presentationDigest ?? '',
      decision: 'approved',
    }),
  )
}

/** A decided case under a leaf of the submitted batch. */
async function sealed(world: World): Promise<CaseView> {
  const review = await decided(world)
  await submitted(world)
  const { tenantId, applicationId, reviewCaseId, sessionId } = review
  const batchId = String(samples['ingest ingest.submit']?.body?.batchId)
  const owner = { tenantId, applicationId, reviewCaseId, sessionId }
  const place = { batchId, leafIndex: 0, sealedAt: world.clock.now(), sealDue: null }
  const row = { ...owner, ...place, leafHash: 'a0'.repeat(32) }
  await world.store.commit({ tenant: tenantId, puts: [put(caseSeals, row, null)] })
  return review
}

/** The id of an event that the home webhook is owed. */
async function eventOf(world: World): Promise<string> {
  await opened(world)
  const { integrator, home, service } = world
  const query = { subscriptionId: home.webhookId, page: 1, pageSize: 1 }
  const [newest] = value(await service.reviewEvents.list(integrator.actor, query)).events
  if (!newest) throw new Error('the webhook is owed nothing')
  return (newest.event as { readonly id: string }).id
}

/** A completed session of the home application, stored behind the service's back. */
async function reviewable({ store, home }: World): Promise<{ readonly sessionId: string }> {
  const { tenantId, applicationId } = home.app
  const sessionId = 'conversation-1'
  const completed: StoredSession = {
    ...{ tenantId, applicationId, sessionId, place: `0000000000.${sessionId}` },
    ...{ origin: 'otlp', status: 'completed', startedAt: start, endedAt: start },
    ...{ receivedAt: start, lastReceivedAt: start, completedAt: start },
    ...{ dataSubjectId: null, subjectFrom: null, agent: null, agentFrom: null, models: [] },
    ...{ rootEnded: true, rootFailed: false, policyResults: [], scores: [] },
    ...{ payloads: [], payloadStatus: 'none' },
    ...{ quality: null, openFlags: 0, flagged: 0, openCases: 0, underReview: 0, reviewState: null },
    ...{ revision: 1, sealed: null, sealDue: null },
    tally: {
      ...{ steps: 0, errors: 0, guardrails: 0, guardrailsOk: 0, inputTokens: 0, outputTokens: 0 },
      ...{ scores: 0, scoreSum: 0, allow: 0, deny: 0, requireReview: 0 },
    },
  }
  await store.commit({ tenant: null, puts: [{ in: 'sessions', row: completed, was: null }] })
  return { sessionId }
}

/** A chat channel of the home organization. */
async function channel({ service, home }: World): Promise<{ readonly channelId: string }> {
  const input = {
    kind: 'teams',
    webhookUrl: 'https://chat.example/workflows/manual',
    eventTypes: ['*'],
  } as const
  const { channelId } = value(await service.notificationChannels.create(home.admin.actor, input))
  return { channelId }
}

/** An alert rule of the home organization. */
async function alertRule({ service, home }: World): Promise<{ readonly alertRuleId: string }> {
  const rule = {
    name: 'Open cases',
    metricName: 'reviews.open',
    comparator: 'gt',
    threshold: 5,
    severity: 'warning',
  } as const
  const { alertRuleId } = value(await service.alertRules.create(home.admin.actor, rule))
  return { alertRuleId }
}

let subjects = 0

/** A data subject of the home application whose key is stored. */
async function storedSubject({ store, home }: World): Promise<string> {
  const subjectId = `sub_${String(++subjects).padStart(26, '0')}`
  const { tenantId, app } = home
  const secret = new Uint8Array(32)
  const row = {
    tenantId,
    applicationId: app.applicationId,
    subjectId,
    salt: secret,
    keyVersion: 1,
    wrapped: secret,
    sealedId: null,
    createdAt: 0,
  }
  await store.commit({ tenant: null, puts: [{ in: 'subjectKeys', row, was: null }] })
  return subjectId
}

async function erasure(world: World): Promise<string> {
  const request = {
    dataSubjectId: await storedSubject(world),
    reason: 'consent_withdrawn',
    confirm: true,
  } as const
  const { service, home } = world
  return value(await service.erasureRequests.create(home.admin.actor, request)).erasureRequestId
}

/** A request of the home admin for a key of an application of its own. */
async function keyRequest(
  { service, home }: World,
  status: 'submitted' | 'approved' | 'executed',
): Promise<string> {
  const { keyRequests } = service
  const { applicationId } = await home.newApp()
  const input = { applicationId, reason: 'a new backend' }
  const asked = await keyRequests.submit(home.admin.actor, {
    action: 'issue-customer-key',
    ...input,
  })
  const { id } = value(asked)
  const ops = { kind: 'staff', name: 'ops' } as const
  if (status !== 'submitted') value(await keyRequests.approve(ops, { requestId: id }))
  if (status === 'executed') value(await keyRequests.execute(ops, { requestId: id }))
  return id
}
