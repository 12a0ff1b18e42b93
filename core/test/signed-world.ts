import { createSoftwareAuthenticator } from '@countersign/conformance/authenticator'
import { collections, createService, logs, type MemberActor, unwrap } from '@countersign/core'
import type { Mail } from '@countersign/core/ports'
import {
  createManualClock,
  createMemoryStore,
  type ManualClock,
  newApplication,
  newMember,
  newOrganization,
  plainAuthenticators,
  plainPorts,
} from '@countersign/core/testing'
import { challengeOf } from '@countersign/core/webauthn'

export const password = 'correct horse battery'
export const origin = 'https://portal.example'
const rpId = 'portal.example'
const caller = { address: '192.0.2.1' }

/** An authenticator in software at the portal's page. */
export function newAuthenticator(algorithm: 'EdDSA' | 'ES256' = 'EdDSA') {
  return createSoftwareAuthenticator({ algorithm, rpId, origin })
}
export type Authenticator = ReturnType<typeof newAuthenticator>

const atItsEndMs = 10_000

/** Lets hours pass, over 10 s: what is due in them is done at their end, and not by thousands of timers in turn. */
export async function pass(clock: ManualClock, ms: number): Promise<void> {
  clock.jump(ms - atItsEndMs)
  await clock.advance(atItsEndMs)
}

/** The service with an organization whose admin reviews, and an application that opens cases. */
export async function signedWorld(authenticators = plainAuthenticators()) {
  const clock = createManualClock(Date.UTC(2026, 10, 21))
  const store = createMemoryStore({ collections, logs })
  const mails: Mail[] = []
  const ports = plainPorts()
  const options = {
    ports: {
      ...ports,
      authenticators,
      store,
      clock,
      mailer: { send: async (mail: Mail) => void mails.push(mail) },
    },
    ingestUrl: 'https://ingest.example',
    portalUrl: origin,
  }
  const service = createService(options)
  /** Another process on the same store. */
  const anotherProcess = () => createService(options)
  const { admin: ada } = await newOrganization(service)
  const applicationId = await newApplication(service, ada)
  const { value: key } = unwrap(
    await service.applicationKeys.create(ada, { applicationId, label: 'first' }),
  )
  const application = unwrap(await service.access.authenticateApplication(key))

  /** Begins a registration by the password, and enrols an authenticator of its answer. */
  const enrol = async (
    authenticator: Authenticator,
    member: MemberActor = ada,
    use: 'signing' | 'sign_in' = 'signing',
  ) => {
    const begun = await service.authenticators.startRegistration(member, {
      use,
      password,
      ...caller,
    })
    return begun.ok ? finish(authenticator, begun.value.options, member, use) : begun
  }
  const finish = (
    authenticator: Authenticator,
    options: object,
    member: MemberActor = ada,
    use: 'signing' | 'sign_in' = 'signing',
  ) => {
    const { challenge } = options as { readonly challenge: string }
    const { id, response } = authenticator.register({ challenge })
    const credential = { id, response }
    return service.authenticators.enrol(member, { name: 'Key', use, credential })
  }
  /** An assertion of a change. */
  const assertionFor = async (
    authenticator: Authenticator,
    change: {
      readonly change: 'add' | 'remove' | 'weaken'
      readonly subject?: string
      readonly settingDigest?: string
    },
    member: MemberActor = ada,
  ) => {
    const { statement } = unwrap(await service.authenticators.stateChange(member, change))
    return { statement, ...authenticator.assert({ challenge: challengeOf(statement) }) }
  }
  const openCase = async (checkpointId: string, more: object = {}) => {
    const { reviewCaseId } = unwrap(
      await service.reviewCases.open(application, {
        sessionId: 'session',
        checkpointId,
        resumeToken: 'token',
        reasonCategory: 'high_risk_action',
        presentation: { action: 'pay', amount: checkpointId },
        idempotencyKey: checkpointId,
        ...more,
      }),
    )
    const claimed = unwrap(await service.reviewCases.claim(ada, { reviewCaseId }))
    const { caseVersion, presentationDigest } = claimed
    return { reviewCaseId, caseVersion, presentationDigest: presentationDigest ?? '' }
  }
  type Seen = Awaited<ReturnType<typeof openCase>>
  /** The signature of a decision, by a statement of the service. */
  const signatureOf = async (
    authenticator: Authenticator,
    choice: Seen &
      Pick<Parameters<typeof service.reviewCases.decide>[1], 'decision' | 'comment' | 'response'>,
  ) => {
    const { statement, nonces } = unwrap(await service.reviewCases.stateDecision(ada, choice))
    return { statement, nonces, ...authenticator.assert({ challenge: challengeOf(statement) }) }
  }
  /** Revocations by another admin, who has no other part. */
  const otherAdmin = async () => {
    const olga = await newMember(service, ada.tenantId, 'olga', 'CustomerAdmin')
    return (authenticatorId: string, { memberId }: MemberActor = ada) =>
      service.members.revokeAuthenticator(olga, { memberId, authenticatorId })
  }
  const { identityProviders } = ports
  const world = { clock, store, service, mails, ada, application, applicationId, identityProviders }
  return {
    ...{ ...world, anotherProcess, enrol, finish, assertionFor, openCase, signatureOf },
    otherAdmin,
  }
}

export const codeOf = (
  result:
    | { readonly ok: true }
    | { readonly ok: false; readonly refusal: { readonly code: string } },
) => (result.ok ? null : result.refusal.code)

/** A world with two admins, Ada and Eve. `toAda`: mails with a subject that Ada got. */
export async function adminsWorld() {
  const world = await signedWorld()
  const { service, ada, clock, mails } = world
  const eve = await newMember(service, ada.tenantId, 'eve', 'CustomerAdmin')
  service.start()
  const toAda = async (subject: string) => {
    await clock.advance(1_000)
    return mails.filter((mail) => mail.to === 'ada@acme.example' && mail.subject === subject)
  }
  return { ...world, eve, toAda }
}
