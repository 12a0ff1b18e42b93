import { createSoftwareAuthenticator } from '@countersign/conformance/authenticator'
import { unwrap } from '@countersign/core'
import { byNewKey, newMember, provisionKey, type SeededRandom } from '@countersign/core/testing'
import { challengeOf } from '@countersign/core/webauthn'
import { openService, portalUrl } from './service.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const rpId = new URL(portalUrl).hostname
const password = 'correct horse battery'
/** Ids of sessions, few, so that one is used again. */
const sessionIds = ['ses_1', 'ses_2', 'ses_3'] as const
const subjectOf = (sessionId: string) => `user-${sessionIds.indexOf(sessionId as 'ses_1') + 1}`

/** A service, and what happens in it, each with its name. */
export interface History {
  readonly world: Awaited<ReturnType<typeof openService>>
  /** What can happen, by its name. */
  readonly acts: Readonly<Record<string, () => Promise<unknown>>>
  /** Lets time pass, and what is due in it be done at its end. */
  pass(ms: number): Promise<void>
}

interface OpenCase {
  readonly reviewCaseId: string
  readonly expiresAt: number
}

/** A new service with an application and two reviewers, one of whom signs. */
export async function beginHistory(random: SeededRandom): Promise<History> {
  const world = await openService()
  const { service, actor, clock, applicationIds } = world
  const [applicationId = ''] = applicationIds
  const { tenantId } = actor
  const other = await newMember(service, tenantId, 'bob')
  const application = await byNewKey(service, actor, applicationId)
  const { key } = await provisionKey(service, { tenantId, applicationId })
  const authenticator = createSoftwareAuthenticator({
    ...{ algorithm: 'ES256' as const, rpId, origin: portalUrl },
  })
  const begun = await service.authenticators.startRegistration(actor, {
    ...{ use: 'signing' as const, password, address: '192.0.2.1' },
  })
  const { challenge } = unwrap(begun).options as { readonly challenge: string }
  const { id, response } = authenticator.register({ challenge })
  const credential = { id, response }
  unwrap(await service.authenticators.enrol(actor, { name: 'Key', use: 'signing', credential }))
  service.start()

  const cases: OpenCase[] = []
  let spans = 0
  const hex = (digits: number) => (++spans).toString(16).padStart(digits, '0')
  const pick = <T>(all: readonly T[]): T | undefined => all[random.below(all.length)]

  const sessionId = (): string => pick(sessionIds) ?? ''

  /** Sends a step; answers the id of its trace. */
  async function step(sessionId: string | null, of: object = {}): Promise<string> {
    const traceId = hex(32)
    const at = clock.now()
    const span = {
      ...{ traceId, spanId: hex(16), parentSpanId: null, sessionId, agent: null },
      dataSubjectId: sessionId === null ? null : subjectOf(sessionId),
      ...{ name: 'step', type: 'llm' as const, startedAt: at - second, endedAt: at },
      ...{ status: 'ok' as const, model: 'aurora-4', inputTokens: 3, outputTokens: 4 },
      ...{ toolName: null, dataCategories: [], checkpointId: null, resumeToken: null },
      ...{ policyResult: null, scores: [], input: `asked at ${at}`, output: 'said' },
      ...{ attributes: {}, resource: {}, truncated: false, incompleteAtSource: false },
      ...of,
    }
    unwrap(await service.ingest.acceptSpans(key, { spans: [span], rejected: {} }))
    return traceId
  }

  async function open(sessionId: string, within: number): Promise<OpenCase> {
    const name = `pay-${hex(1)}`
    const expiresAt = clock.now() + within
    const { reviewCaseId } = unwrap(
      await service.reviewCases.open(application, {
        ...{ sessionId, checkpointId: name, idempotencyKey: name, resumeToken: name },
        ...{ reasonCategory: 'high_risk_action', expiresAt, dueAt: expiresAt },
        presentation: { action: 'pay', amount: name },
      }),
    )
    const opened = { reviewCaseId, expiresAt }
    cases.push(opened)
    return opened
  }

  /** Ends a case, one that is open where there is any. */
  async function end(by: (reviewCaseId: string) => Promise<unknown>): Promise<void> {
    const open = async ({ reviewCaseId, expiresAt }: OpenCase) =>
      expiresAt > clock.now() &&
      unwrap(await service.reviewCases.read(application, { reviewCaseId })).state === 'open'
    while (cases.length > 0) {
      const [last] = cases.splice(random.below(cases.length), 1)
      if (last && (await open(last))) return void (await by(last.reviewCaseId))
    }
    const { reviewCaseId } = await openOne(30 * day)
    cases.pop()
    await by(reviewCaseId)
  }

  /** Decides a case; with a signature, by who has to sign. */
  const decided = (isSigned: boolean) => async (reviewCaseId: string) => {
    const by = isSigned ? actor : other
    const { caseVersion, presentationDigest } = unwrap(
      await service.reviewCases.claim(by, { reviewCaseId }),
    )
    const choice = {
      ...{ reviewCaseId, caseVersion, presentationDigest: presentationDigest ?? '' },
      ...{ decision: random.chance(0.5) ? ('approved' as const) : ('rejected' as const) },
      comment: 'looked at',
    }
    if (!isSigned) return unwrap(await service.reviewCases.decide(by, choice))
    const { statement, nonces } = unwrap(await service.reviewCases.stateDecision(by, choice))
    const made = authenticator.assert({ challenge: challengeOf(statement) })
    const signature = { statement, nonces, ...made }
    return unwrap(await service.reviewCases.decide(by, { ...choice, signature }))
  }

  const cancelled = async (reviewCaseId: string) =>
    unwrap(
      await service.reviewCases.cancel(application, {
        ...{ reviewCaseId, reasonCategory: 'end_user_cancelled' },
      }),
    )

  /** A trace whose case is open or decided, and which then gets its session's name, sealed already or not. */
  async function move(): Promise<void> {
    const traceId = await step(null)
    const { reviewCaseId } = await open(traceId, 30 * day)
    if (random.chance(0.7)) await decided(random.chance(0.5))(reviewCaseId)
    await pass(random.chance(0.5) ? 5 * second : 40 * minute)
    await step(sessionId(), { traceId })
  }

  async function erase(): Promise<void> {
    const own = sessionId()
    await step(own)
    unwrap(
      await service.erasureRequests.create(actor, {
        ...{ dataSubjectId: subjectOf(own), applicationId: null },
        ...{ reason: 'objection', confirm: true },
      }),
    )
  }

  /**
   * The end of all cases that are open, a year and more, and the two looks at what is too old: the first of a process removes
   * nothing. A case that ends in the last week of its session is told to be left out by the next session of that id.
   */
  async function outlive(): Promise<void> {
    for (const ms of [31 * day, hour, 400 * day, hour, hour]) await pass(ms)
  }

  async function pass(ms: number): Promise<void> {
    const atItsEnd = 30 * second
    if (ms > atItsEnd) clock.jump(ms - atItsEnd)
    await clock.advance(Math.min(ms, atItsEnd))
  }

  const openOne = (within: number) => open(sessionId(), within)
  return {
    world,
    acts: {
      'a step': () => step(sessionId()),
      'another step': () => step(sessionId()),
      'a case': () => openOne(30 * day),
      'a case of an hour': () => openOne(hour),
      'a decision': () => end(decided(false)),
      'a signed decision': () => end(decided(true)),
      'a cancellation': () => end(cancelled),
      'a move': move,
      'another move': move,
      'an erasure': erase,
      'the end of an hour': () => pass(hour),
      'the end of retention': outlive,
    },
    pass,
  }
}
