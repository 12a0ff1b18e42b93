import { day, hour, value } from '../removal/erasure/world.ts'
import { alertInput, type Command, ops, type World } from './world.ts'

const ok = { ok: true, value: null } as const
const opened = (checkpointId: string) =>
  ({
    sessionId: 'one',
    checkpointId,
    resumeToken: 'a token',
    reasonCategory: 'high_risk_action',
    presentation: { text: 'x' },
    idempotencyKey: checkpointId,
  }) as const
const auditor = { role: 'CustomerAuditor', permissions: [] } as const
const erasure = { dataSubjectId: 'grace', reason: 'other', confirm: true } as const
const decision = ({ review, shown }: World) =>
  ({
    caseVersion: review.caseVersion + 1,
    presentationDigest: shown.digest,
  }) as const
const deletion = ({ clock }: World) => ({
  ticket: '4712',
  identity: { method: 'video call', verifiedBy: 'security', verifiedAt: clock.now() },
  authorizationForm: { sha256: '0'.repeat(64), signedBy: 'Ada', signedAt: clock.now() },
})

/** Commands of one unit of work each. */
export const commands: Readonly<Record<string, Command>> = {
  'open a case': (w) => w.service.reviewCases.open(w.application, opened('later')),
  'claim the case': (w) =>
    w.service.reviewCases.claim(w.bea, { reviewCaseId: w.review.reviewCaseId }),
  'approve the case': (w) =>
    w.service.reviewCases.decide(w.rob, {
      reviewCaseId: w.review.reviewCaseId,
      ...decision(w),
      decision: 'approved',
    }),
  'reject the case': (w) =>
    w.service.reviewCases.decide(w.rob, {
      reviewCaseId: w.review.reviewCaseId,
      ...decision(w),
      decision: 'rejected',
      comment: 'no',
    }),
  'cancel the case': (w) =>
    w.service.reviewCases.cancel(w.application, {
      reviewCaseId: w.review.reviewCaseId,
      reasonCategory: 'end_user_cancelled',
    }),
  'create an application': (w) => w.service.applications.create(w.admin, { name: 'three' }),
  'rename the application': (w) =>
    w.service.applications.update(w.admin, { applicationId: w.first, name: 'renamed' }),
  'promote the application': (w) =>
    w.service.applications.promote(w.admin, { applicationId: w.first, to: 'production' }),
  'delete the application': (w) =>
    w.service.applications.requestDeletion(w.admin, { applicationId: w.first }),
  'keep the application': (w) =>
    w.service.applications.cancelDeletion(w.admin, { applicationId: w.first }),
  'create a key': (w) =>
    w.service.applicationKeys.create(w.admin, { applicationId: w.first, label: 'x' }),
  'revoke a key': (w) =>
    w.service.applicationKeys.revoke(w.admin, { applicationId: w.first, keyId: w.key.keyId }),
  'demote one admin': (w) =>
    w.service.members.setRole(w.admin, { memberId: w.bea.memberId, ...auditor }),
  'demote the other admin': (w) =>
    w.service.members.setRole(w.bea, { memberId: w.admin.memberId, ...auditor }),
  'deactivate one admin': (w) =>
    w.service.members.deactivate(w.admin, { memberId: w.bea.memberId, confirm: true }),
  'deactivate the other admin': (w) =>
    w.service.members.deactivate(w.bea, { memberId: w.admin.memberId, confirm: true }),
  'invite somebody': (w) =>
    w.service.invitations.create(w.rob, { email: 'zoe@acme.example', ...auditor }),
  'send the invitation again': (w) =>
    w.service.invitations.resend(w.admin, { invitationId: w.invitation.invitationId }),
  'withdraw the invitation': (w) =>
    w.service.invitations.withdraw(w.admin, { invitationId: w.invitation.invitationId }),
  'accept the invitation': (w) =>
    w.service.auth.acceptInvitation({
      token: new URL(w.invitation.acceptUrl ?? '').hash.slice(1),
      name: 'New',
      password: 'long enough 1',
      address: '192.0.2.9',
    }),
  'suspend the organization': (w) =>
    w.service.tenants.suspend(ops, { tenantId: w.tenantId, reason: 'x' }),
  'take the smallest plan': (w) =>
    w.service.tenants.setPlan(ops, { tenantId: w.tenantId, plan: 'Builder' }),
  'delete the organization': (w) =>
    w.service.tenants.requestDeletion(ops, { tenantId: w.tenantId, ...deletion(w) }),
  'keep the organization': (w) => w.service.tenants.cancelDeletion(ops, { tenantId: w.tenantId }),
  'create a webhook': (w) =>
    w.service.webhooks.create(w.admin, { url: 'https://other.example/', eventTypes: ['*'] }),
  'turn the webhook off': (w) => w.service.webhooks.turnOff(w.admin, { webhookId: w.webhook.id }),
  'remove the webhook': (w) => w.service.webhooks.remove(w.admin, { webhookId: w.webhook.id }),
  'remove the chat': (w) =>
    w.service.notificationChannels.remove(w.admin, { channelId: w.channel.channelId }),
  'set policy rules': (w) =>
    w.service.policyRules.set(w.admin, {
      applicationId: w.first,
      ruleSetVersion: 0,
      rules: [{ name: 'all', match: {}, effect: 'require_review' }],
    }),
  'clear the flag': (w) =>
    w.service.flags.clear(w.admin, { sessionId: 'one', flagId: w.flag.flagId }),
  'annotate the session': (w) =>
    w.service.annotations.create(w.rob, { sessionId: 'one', text: 'again' }),
  'remove the note': (w) =>
    w.service.annotations.remove(w.admin, { sessionId: 'one', annotationId: w.note.annotationId }),
  'change the alert rule': (w) =>
    w.service.alertRules.update(w.admin, {
      alertRuleId: w.alert.alertRuleId,
      ...alertInput,
      applicationId: w.first,
      threshold: 0,
    }),
  'remove the alert rule': (w) =>
    w.service.alertRules.remove(w.admin, { alertRuleId: w.alert.alertRuleId }),
  'hold somebody': (w) =>
    w.service.legalHolds.place(w.admin, { dataSubjectId: 'grace', matter: 'x' }),
  'release the hold': (w) =>
    w.service.legalHolds.release(w.admin, { holdId: w.hold.holdId, reason: 'x' }),
  'erase somebody': (w) => w.service.erasureRequests.create(w.admin, erasure),
  'erase somebody in the application': (w) =>
    w.service.erasureRequests.create(w.admin, { ...erasure, applicationId: w.first }),
  'ask for a key': (w) =>
    w.service.keyRequests.submit(w.admin, {
      action: 'issue-customer-key',
      applicationId: w.first,
      type: 'primary ingest',
      reason: 'x',
    }),
  'approve the key': (w) => w.service.keyRequests.approve(ops, { requestId: w.keyRequest.id }),
  'issue the key': (w) => w.service.keyRequests.execute(ops, { requestId: w.keyRequest.id }),
  'cancel the request for a key': (w) =>
    w.service.keyRequests.cancel(w.admin, { requestId: w.keyRequest.id }),
  'reveal the key': (w) => w.service.keyRequests.reveal(w.admin, { requestId: w.keyRequest.id }),
  'revoke the customer key': (w) =>
    w.service.customerKeys.revoke(w.admin, { keyId: w.customer.keyId }),
  'send a span': (w) => w.send('one', 'grace', 2),
  'begin a session': (w) => w.send('two', 'alan', 3),
}

/** What several commits do; it comes between the reads of a command, but no command between its own. */
export const works: Readonly<Record<string, Command>> = {
  'purge what is due': async (w) => {
    await w.process.purger.tick()
    return ok
  },
  'erase what is due': async (w) => {
    await w.process.runner.tick()
    return ok
  },
}

/** What happened before. */
export const situations: Readonly<Record<string, (w: World) => Promise<void>>> = {
  'a claimed case': async (w) => {
    const seen = value(
      await w.service.reviewCases.claim(w.rob, { reviewCaseId: w.review.reviewCaseId }),
    )
    w.shown.digest = seen.presentationDigest ?? ''
  },
  'a key that waits to be revealed': async (w) => {
    value(await w.service.keyRequests.approve(ops, { requestId: w.keyRequest.id }))
    value(await w.service.keyRequests.execute(ops, { requestId: w.keyRequest.id }))
  },
  'a deletion whose grace period is over, and an erasure': async (w) => {
    value(await w.service.erasureRequests.create(w.admin, erasure))
    value(await w.service.applications.requestDeletion(w.admin, { applicationId: w.first }))
    w.clock.jump(7 * day + hour)
  },
  'an organization that is being deleted': async (w) => {
    value(await w.service.tenants.requestDeletion(ops, { tenantId: w.tenantId, ...deletion(w) }))
  },
}
