import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import type { TenantDeletionInput } from '@countersign/core'
import type { Result } from '@countersign/core/ledger'
import type { ChangeSet, Store } from '@countersign/core/ports'
import { auditLog } from '../../kernel/ledger/audit.ts'
import { memoryPorts, organization, processOn, start, value } from '../removal/erasure/world.ts'

const staff = { kind: 'staff', name: 'ops' } as const

/** A service over a store that tells what was committed. */
async function world() {
  const ports = memoryPorts()
  const sets: ChangeSet[] = []
  const store: Store = {
    ...ports.store,
    commit: async (set) => {
      const done = await ports.store.commit(set)
      if (done.committed) sets.push(set)
      return done
    },
  }
  const { service } = processOn({ ...ports, store })
  const acme = await organization(service)
  value(await service.tenants.setPlan(staff, { tenantId: acme.tenantId, plan: 'Team' }))
  // The first pseudonym makes the organization's key, in a commit of its own.
  const { admin } = acme
  value(await service.legalHolds.place(admin, { dataSubjectId: subject, matter: 'earlier' }))
  return { ...acme, service, sets }
}

type World = Awaited<ReturnType<typeof world>>

/** What was made before, by the act that made it. */
type Made = Map<string, string>
type Act = (w: World, made: Made) => Promise<Result<unknown>>

/** Remembers an id of what an act makes, for those after it. */
function making<T>(
  name: string,
  act: (w: World) => Promise<Result<T>>,
  idOf: (made: T) => string,
): Act {
  return async (w: World, made: Made) => {
    const result = await act(w)
    if (result.ok) made.set(name, idOf(result.value))
    return result
  }
}

const idIn = (made: Made, name: string): string => made.get(name) ?? ''
const subject = 'grace@example.com'
const url = 'https://hook.example/in/s3cret?token=s3cret'
const deletion: TenantDeletionInput = {
  ticket: '4712',
  identity: { method: 'video call', verifiedBy: 'security', verifiedAt: start },
  authorizationForm: { sha256: '0'.repeat(64), signedBy: 'Ada Lovelace', signedAt: start },
}

/** Privileged acts, in an order in which each can be done. */
const acts: Readonly<Record<string, Act>> = {
  'invitation.created': making(
    'invitation',
    ({ service, admin }) => service.invitations.create(admin, { email: 'eve@acme.example' }),
    ({ invitationId }) => invitationId,
  ),
  'invitation.resent': ({ service, admin }, made) =>
    service.invitations.resend(admin, { invitationId: idIn(made, 'invitation') }),
  'invitation.withdrawn': ({ service, admin }, made) =>
    service.invitations.withdraw(admin, { invitationId: idIn(made, 'invitation') }),
  'member.role_set': ({ service, admin }) =>
    service.members.setRole(admin, {
      memberId: admin.memberId,
      role: 'CustomerAdmin',
      permissions: ['Review Cases'],
    }),
  'profile.updated': ({ service, admin }) =>
    service.profile.update(admin, {
      organizationName: 'Acme',
      contactEmail: 'it@acme.example',
    }),
  'webhook.created': making(
    'webhook',
    ({ service, admin }) => service.webhooks.create(admin, { url, eventTypes: ['*'] }),
    ({ id }) => id,
  ),
  'webhook.removed': ({ service, admin }, made) =>
    service.webhooks.remove(admin, { webhookId: idIn(made, 'webhook') }),
  'application.outcome_callback_set': ({ service, admin, first }) =>
    service.applications.setOutcomeCallback(admin, {
      applicationId: first,
      ...{ url, enabled: true },
      signing: { method: 'shared_secret' },
    }),
  'application.outcome_callback_secret_rotated': ({ service, admin, first }) =>
    service.applications.rotateCallbackSecret(admin, { applicationId: first }),
  'application.outcome_callback_removed': ({ service, admin, first }) =>
    service.applications.removeOutcomeCallback(admin, { applicationId: first }),
  'notification_channel.created': ({ service, admin }) =>
    service.notificationChannels.create(admin, {
      kind: 'slack',
      webhookUrl: url,
      eventTypes: ['*'],
    }),
  'alert_rule.created': ({ service, admin }) =>
    service.alertRules.create(admin, {
      name: 'open cases',
      metricName: 'reviews.open',
      comparator: 'gt',
      threshold: 10,
      severity: 'warning',
    }),
  'policy_rules.set': ({ service, admin, first }) =>
    service.policyRules.set(admin, {
      applicationId: first,
      ruleSetVersion: 0,
      rules: [{ name: 'payments', match: {}, effect: 'deny' }],
    }),
  'application_key.created': making(
    'key',
    ({ service, admin, first }) =>
      service.applicationKeys.create(admin, { applicationId: first, label: 'another' }),
    ({ keyId }) => keyId,
  ),
  'application_key.revoked': ({ service, admin, first }, made) =>
    service.applicationKeys.revoke(admin, { applicationId: first, keyId: idIn(made, 'key') }),
  'key_request.submitted': ({ service, admin, first }) =>
    service.keyRequests.submit(admin, {
      action: 'issue-secondary-key',
      applicationId: first,
      reason: 'x',
    }),
  'legal_hold.placed': making(
    'hold',
    ({ service, admin }) =>
      service.legalHolds.place(admin, { dataSubjectId: subject, matter: 'a claim' }),
    ({ holdId }) => holdId,
  ),
  'legal_hold.released': ({ service, admin }, made) =>
    service.legalHolds.release(admin, { holdId: idIn(made, 'hold'), reason: 'settled' }),
  'application.deletion_requested': ({ service, admin, second }) =>
    service.applications.requestDeletion(admin, { applicationId: second }),
  'application.deletion_cancelled': ({ service, admin, second }) =>
    service.applications.cancelDeletion(admin, { applicationId: second }),
  'tenant.suspended': ({ service, tenantId }) =>
    service.tenants.suspend(staff, { tenantId, reason: 'x' }),
  'tenant.resumed': ({ service, tenantId }) =>
    service.tenants.resume(staff, { tenantId, reason: 'x' }),
  'plan.set': ({ service, tenantId }) =>
    service.tenants.setPlan(staff, { tenantId, plan: 'Enterprise' }),
  'tenant.deletion_requested': ({ service, tenantId }) =>
    service.tenants.requestDeletion(staff, { tenantId, ...deletion }),
}

/** Actions of the audit entries in a change set. */
function actionsOf({ appends = [] }: ChangeSet): readonly string[] {
  return appends
    .filter(({ log }) => log === auditLog.name)
    .map(({ entry }) => JSON.parse(new TextDecoder().decode(entry)).action)
}

describe('an audit entry', () => {
  it('is in the one commit of its act: neither is there without the other', async () => {
    const w = await world()
    const made: Made = new Map()
    for (const [action, act] of Object.entries(acts)) {
      w.sets.length = 0
      value(await act(w, made))
      const changing = w.sets.filter(({ puts = [], removes = [] }) => puts.length + removes.length)
      assert.deepEqual(changing.map(actionsOf), [[action]], action)
      assert.equal(w.sets.length, 1, action)
    }
  })

  it('has an endpoint’s URL as its origin and a digest of the rest', async () => {
    const w = await world()
    const made: Made = new Map()
    for (const act of Object.values(acts)) value(await act(w, made))
    const texts = w.sets
      .flatMap(({ appends = [] }) => appends.filter(({ log }) => log === auditLog.name))
      .map(({ entry }) => new TextDecoder().decode(entry))
    assert.deepEqual(
      texts.filter((text) => text.includes('s3cret')),
      [],
    )
    const led = texts.map((text) => JSON.parse(text)).filter(({ detail }) => 'origin' in detail)
    assert.deepEqual(
      led.map(({ action, detail }) => [action, detail.origin, detail.restSha256]),
      [
        'webhook.created',
        'application.outcome_callback_set',
        'application.outcome_callback_secret_rotated',
        'application.outcome_callback_removed',
      ].map((action) => [
        action,
        'https://hook.example',
        createHash('sha256').update('/in/s3cret?token=s3cret').digest('hex'),
      ]),
    )
  })
})
