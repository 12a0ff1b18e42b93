import type { Sample } from './requests.ts'
import { value, type World } from './world.ts'

/** A request that is right in form, and that the state of a record refuses. */
export interface Conflict {
  readonly code: string
  readonly make: (world: World, right: Sample) => Promise<Partial<Sample>> | Partial<Sample>
}

/** A member that the operation's schema takes, and its use case does not. */
export interface LateFault {
  readonly body: Readonly<Record<string, unknown>>
  readonly code?: string
}

const stale: Conflict = {
  code: 'version_conflict',
  make: (_world, { body, optional }) =>
    body && 'caseVersion' in body
      ? { body: { ...body, caseVersion: 999 } }
      : { optional: { ...optional, caseVersion: 999 } },
}

const goneWebhook: Conflict = {
  code: 'endpoint_gone',
  make: async (world) => {
    const { webhookId } = world.home
    const url = 'https://hook.example/events'
    const gone = { status: 'turned_off', statusReason: 'endpoint_gone', goneUrls: [url] }
    await world.alter('webhooks', { webhookId }, gone)
    return {}
  },
}

const ambiguous: Conflict = {
  code: 'ambiguous_session',
  make: async (world, { ids }) => {
    const sessionId = 'twice'
    await world.storeSession(world.home.app, sessionId)
    await world.storeSession(world.sibling, sessionId)
    return { ids: { ...ids, sessionId } }
  },
}

const closedCase: Conflict = {
  code: 'invalid_transition',
  make: async (world, { body }) => {
    const { reviewCaseId } = await world.opened(world.home.app)
    return { ids: { reviewCaseId }, ...(body && { body }) }
  },
}

/** A key request whose state has no way to where the operation leads. */
const keyRequestIn = (status: string): Conflict => ({
  code: 'invalid_transition',
  make: async (world, { ids }) => {
    await world.alter('keyRequests', { requestId: ids?.requestId }, { status })
    return {}
  },
})

/** For each operation that the state of a record may refuse, one such state. */
export const conflicts: Readonly<Record<string, Conflict>> = {
  'applications.update': {
    code: 'version_conflict',
    make: (_world, { optional }) => ({ optional: { ...optional, version: 999 } }),
  },
  'applications.removeOutcomeCallback': {
    code: 'callback_not_configured',
    make: ({ sibling }) => ({ ids: { applicationId: sibling.applicationId } }),
  },
  'applications.rotateCallbackSecret': {
    code: 'callback_not_configured',
    make: ({ sibling }) => ({ ids: { applicationId: sibling.applicationId } }),
  },
  'applications.cancelDeletion': {
    code: 'not_pending',
    make: ({ sibling }) => ({ ids: { applicationId: sibling.applicationId } }),
  },
  'applications.create': {
    code: 'invalid_transition',
    make: async (world) => {
      const { tenantId } = world.home
      await world.alter('tenants', { tenantId }, { deletion: {} })
      return {}
    },
  },
  'invitations.create': {
    code: 'already_member',
    make: ({ home }, { body }) => ({ body: { ...body, email: home.admin.email } }),
  },
  'invitations.resend': {
    code: 'invalid_transition',
    make: async ({ service, home }, { ids }) => {
      value(
        await service.invitations.withdraw(home.admin.actor, {
          invitationId: ids?.invitationId ?? '',
        }),
      )
      return {}
    },
  },
  'keyRequests.cancel': keyRequestIn('executed'),
  'keyRequests.approve': keyRequestIn('executed'),
  'keyRequests.execute': keyRequestIn('submitted'),
  'keyRequests.reject': keyRequestIn('executed'),
  'members.deactivate': {
    code: 'last_admin',
    make: ({ home }) => ({ ids: { memberId: home.admin.actor.memberId } }),
  },
  'notificationChannels.test': {
    code: 'invalid_transition',
    make: async (world, { ids }) => {
      await world.alter('notificationChannels', { channelId: ids?.channelId }, { enabled: false })
      return {}
    },
  },
  'policyRules.set': {
    code: 'version_conflict',
    make: (_world, { body }) => ({ body: { ...body, ruleSetVersion: 999 } }),
  },
  'reviewCases.answerFollowUp': stale,
  'reviewCases.cancel': stale,
  'reviewCases.claim': stale,
  'reviewCases.decide': stale,
  'reviewCases.reassign': stale,
  'reviewCases.requestFollowUp': stale,
  'reviewCases.reportContinuation': closedCase,
  'reviewCases.replayCallback': closedCase,
  'reviewCases.open': {
    code: 'idempotency_conflict',
    make: async (world, { body }) => {
      const { idempotencyKey } = await opened(world)
      return { body: { ...body, idempotencyKey } }
    },
  },
  'evidence.read': ambiguous,
  'evidence.csv': ambiguous,
  'evidence.pack': ambiguous,
  'sessions.read': ambiguous,
  'sessions.listSteps': ambiguous,
  'sessions.proof': ambiguous,
  'flags.list': ambiguous,
  'annotations.list': ambiguous,
  'signingKeys.rotate': {
    code: 'already_rotating',
    make: async ({ service, home }) => {
      value(await service.signingKeys.rotate(home.admin.actor, { use: 'webhooks' }))
      return {}
    },
  },
  'webhooks.test': goneWebhook,
  'webhooks.requestVerification': goneWebhook,
  'webhooks.turnOn': goneWebhook,
  'webhooks.replay': goneWebhook,
  'webhooks.recover': goneWebhook,
  'webhooks.update': {
    code: 'endpoint_gone',
    make: async (world, right) => {
      await goneWebhook.make(world, right)
      return { optional: { url: 'https://hook.example/events', signing: { method: 'ed25519' } } }
    },
  },
  'webhooks.rotateSecret': {
    code: 'not_shared_secret',
    make: async (world) => {
      const { webhookId } = world.home
      await world.alter('webhooks', { webhookId }, { method: 'ed25519', secret: null })
      return { optional: {} }
    },
  },
}

/** What the schema of an operation leaves to its use case. */
export const lateFaults: Readonly<Record<string, LateFault>> = {
  'applications.create': { body: { name: ' ' } },
  'invitations.create': { body: { email: 'nobody' } },
  'policyRules.set': {
    body: { rules: [{ ruleId: 'rule_none', name: 'x', match: {}, effect: 'allow' }] },
  },
  'webhooks.recover': {
    body: { from: '2026-02-01T00:00:00.000Z', until: '2026-01-01T00:00:00.000Z' },
  },
}

/** An opening whose idempotency key is used up. */
async function opened(world: World) {
  const idempotencyKey = 'used before'
  await world.opened(world.home.app, { idempotencyKey })
  return { idempotencyKey }
}
