import { type ApplicationActor, type MemberActor, type StaffActor, unwrap } from '@countersign/core'
import { type Canaries, type CanaryWorld, start } from './canary-world.ts'

const minute = 60_000
const system = { kind: 'system' } as const
const staff: StaffActor = { kind: 'staff', name: 'ops' }

/** Who is known at the end, and what of theirs can be asked for. */
export interface Life {
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  readonly reviewCaseId: string
  readonly webhookId: string
  /** A CustomerAdmin's session token. */
  readonly session: string
  readonly applicationKey: string
  /** The fields whose texts stood in some file, in any form, before anything was erased. */
  readonly atRest: ReadonlySet<string>
}

/** The life of an organization in which every private field holds a text of its own. */
export async function live(world: CanaryWorld, canaries: Canaries): Promise<Life> {
  const { service, transport, mails } = world
  const { of, note } = canaries
  const signIn = async (email: string, password: string) => {
    const login = unwrap(await service.auth.login({ email, password, address: '192.0.2.1' }))
    note('secret: session token', login.token)
    note('secret: device token', login.device.token)
    const actor = unwrap(await service.access.authenticateMember(login.token))
    return { actor, token: login.token }
  }
  const emailOf = (field: string) => note(`e-mail: ${field}`, `${of(field)}@acme.example`)

  const password = of('secret: password of the admin')
  const email = emailOf('admin')
  const made = unwrap(
    await service.tenants.create(system, {
      name: 'Acme',
      admin: { name: of('name of the admin'), email, password },
      plan: 'Enterprise',
    }),
  )
  const { tenantId } = made.tenant
  const { actor: admin, token: session } = await signIn(email, password)
  unwrap(
    await service.profile.update(admin, {
      organizationName: 'Acme Holding',
      contactEmail: emailOf('contact'),
      country: 'AT',
      timezone: 'Europe/Vienna',
    }),
  )

  // Invited by mail, at the second try of the relay.
  const invited = emailOf('invitee')
  unwrap(await service.invitations.create(admin, { email: invited, permissions: ['Review Cases'] }))
  unwrap(await service.invitations.create(admin, { email: emailOf('second invitee') }))
  await world.pass(minute, 1_000)
  const mail = mails.findLast(({ to }) => to === invited)
  const token = note(
    'secret: invitation token',
    /#([0-9a-f]{64})/.exec(mail?.text ?? '')?.[1] ?? 'no token',
  )
  const reviewerPassword = of('secret: password of the reviewer')
  unwrap(
    await service.auth.acceptInvitation({
      token,
      name: of('name of the reviewer'),
      password: reviewerPassword,
      address: '192.0.2.2',
    }),
  )
  const { actor: reviewer } = await signIn(invited, reviewerPassword)

  const { applicationId } = unwrap(
    await service.applications.create(admin, {
      name: 'Claims',
      description: of('description of the application'),
    }),
  )
  const applicationKey = unwrap(
    await service.applicationKeys.create(admin, { applicationId, label: of('label') }),
  )
  note('secret: application key', applicationKey.value)
  const { secret } = unwrap(
    await service.applications.setOutcomeCallback(admin, {
      applicationId,
      url: `https://callback.example/${of('path of the callback')}`,
      enabled: true,
      signing: { method: 'shared_secret' },
    }),
  ).signing
  note('secret: secret of the callback', secret ?? 'no secret')
  const { signing } = unwrap(
    await service.applications.rotateCallbackSecret(admin, { applicationId }),
  )
  note('secret: second secret of the callback', signing.secret ?? 'no secret')
  const webhook = unwrap(
    await service.webhooks.create(admin, {
      url: `https://hook.example/${of('path of the webhook')}`,
      eventTypes: ['*'],
      description: of('description of the webhook'),
      signing: { method: 'shared_secret' },
    }),
  )
  note('secret: secret of the webhook', webhook.signing.secret ?? 'no secret')
  const rotated = unwrap(await service.webhooks.rotateSecret(admin, { webhookId: webhook.id }))
  note('secret: second secret of the webhook', rotated.signing.secret ?? 'no secret')

  const sessionId = await sendSession(world, canaries, { tenantId, applicationId })
  await world.pass(32 * minute, minute)
  const application: ApplicationActor = {
    kind: 'application',
    ...{ tenantId, applicationId, keyId: applicationKey.keyId },
  }
  const reviewCaseId = await reviewCase(world, canaries, { application, reviewer, sessionId })
  await markSession(world, canaries, { reviewer, sessionId })
  world.backUp()
  const atRest = world.files().flatMap(({ bytes }) => canaries.foundInAnyForm(bytes))
  await privacy(world, canaries, admin)

  const reason = { reason: of('reason of a suspension') }
  unwrap(await service.tenants.suspend(staff, { tenantId, ...reason }))
  unwrap(await service.tenants.resume(staff, { tenantId, ...reason }))
  // What is told of a receiver that fails with private words of its own.
  transport.follow(() => ({
    ...{ kind: 'answer', status: 500, headers: {}, truncated: false, latencyMs: 1 },
    body: new TextEncoder().encode(of('answer of the receiver')),
  }))
  unwrap(await service.webhooks.test(admin, { webhookId: webhook.id }))
  await world.pass(10 * minute, minute)
  const webhookId = webhook.id
  const { value: key } = applicationKey
  return {
    tenantId,
    applicationId,
    sessionId,
    reviewCaseId,
    webhookId,
    session,
    applicationKey: key,
    atRest: new Set(atRest),
  }
}

/** A session of one span with content, from a backend with a customer key. */
async function sendSession(
  { service }: CanaryWorld,
  { of, note }: Canaries,
  place: { readonly tenantId: string; readonly applicationId: string },
): Promise<string> {
  const issued = unwrap(
    await service.customerKeys.provision(system, { ...place, type: 'primary ingest' }),
  )
  const secret = note('secret: customer key', issued.value.split('.').at(-1) ?? '')
  const key = unwrap(await service.access.authenticateCustomerKey(secret))
  const sessionId = 'session-1'
  unwrap(
    await service.ingest.acceptSpans(key, {
      spans: [
        {
          ...{ traceId: '1'.repeat(32), spanId: '2'.repeat(16), parentSpanId: null },
          ...{ sessionId, dataSubjectId: of('data subject') },
          ...{ agent: null, name: 'step', type: 'llm', status: 'ok', model: null },
          ...{ startedAt: start, endedAt: start + 1_000, inputTokens: null, outputTokens: null },
          ...{ toolName: null, dataCategories: [], checkpointId: null, policyResult: null },
          resumeToken: of('secret: resume token of a span'),
          scores: [],
          input: of('secret: input'),
          output: of('secret: output'),
          attributes: { note: of('secret: attribute') },
          resource: {},
          truncated: false,
          incompleteAtSource: false,
        },
      ],
      rejected: {},
    }),
  )
  return sessionId
}

/** A case with every text that its parties write, decided and acknowledged. */
async function reviewCase(
  { service }: CanaryWorld,
  { of }: Canaries,
  who: {
    readonly application: ApplicationActor
    readonly reviewer: MemberActor
    readonly sessionId: string
  },
): Promise<string> {
  const { application, reviewer, sessionId } = who
  const { reviewCases } = service
  const seenOf = ({ caseVersion }: { readonly caseVersion: number }) => ({ caseVersion })
  const opened = unwrap(
    await reviewCases.open(application, {
      sessionId,
      checkpointId: 'checkpoint-1',
      resumeToken: of('secret: resume token'),
      reasonCategory: 'high_risk_action',
      presentation: { action: of('presentation') },
      policyResults: [{ why: of('policy result') }],
      idempotencyKey: of('idempotency key'),
    }),
  )
  const { reviewCaseId } = opened
  const claimed = unwrap(await reviewCases.claim(reviewer, { reviewCaseId, ...seenOf(opened) }))
  const asked = unwrap(
    await reviewCases.requestFollowUp(reviewer, {
      reviewCaseId,
      ...seenOf(claimed),
      question: of('question'),
    }),
  )
  const told = unwrap(
    await reviewCases.answerFollowUp(application, {
      reviewCaseId,
      ...seenOf(asked),
      answer: of('answer'),
    }),
  )
  unwrap(
    await reviewCases.decide(reviewer, {
      reviewCaseId,
      ...seenOf(told),
      presentationDigest: told.presentationDigest ?? '',
      decision: 'response_submitted',
      comment: of('comment'),
      response: { text: of('response') },
    }),
  )
  unwrap(
    await reviewCases.reportContinuation(application, {
      reviewCaseId,
      outcome: 'resumed',
      detail: of('detail of the continuation'),
    }),
  )
  return reviewCaseId
}

async function markSession(
  { service }: CanaryWorld,
  { of }: Canaries,
  { reviewer, sessionId }: { readonly reviewer: MemberActor; readonly sessionId: string },
): Promise<void> {
  const { annotations, flags, sessionReviews } = service
  unwrap(await flags.raise(reviewer, { sessionId, flag: 'safety', note: of('note') }))
  const text = { text: of('annotation'), label: of('label of an annotation') }
  unwrap(await annotations.create(reviewer, { sessionId, ...text }))
  const review = { decision: 'approved', comment: of('comment of a session review') } as const
  unwrap(await sessionReviews.create(reviewer, { sessionId, ...review }))
}

/** A hold that is released, an erasure that is rejected, and one that is completed. */
async function privacy(
  world: CanaryWorld,
  { of, named }: Canaries,
  admin: MemberActor,
): Promise<void> {
  const dataSubjectId = named('data subject')[0]?.text ?? ''
  const { erasureRequests, legalHolds, evidencePackages } = world.service
  const hold = unwrap(await legalHolds.place(admin, { dataSubjectId, matter: of('matter') }))
  const request = { dataSubjectId, reason: 'objection', confirm: true } as const
  const { erasureRequestId } = unwrap(await erasureRequests.create(admin, request))
  const refused = { reason: of('reason of a rejection') }
  unwrap(await erasureRequests.reject(admin, { erasureRequestId, ...refused }))
  unwrap(
    await legalHolds.release(admin, { holdId: hold.holdId, reason: of('reason of a release') }),
  )
  const { pieces } = unwrap(await evidencePackages.exportSubject(admin, { dataSubjectId }))
  for await (const _ of pieces);
  unwrap(await erasureRequests.create(admin, request))
  await world.pass(2 * minute, 1_000)
}
