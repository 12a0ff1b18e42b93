import { randomBytes } from 'node:crypto'
import { ConformanceError, expect, expectEqual } from '../assert.ts'
import { type ServerClock, serverClock } from './clock.ts'
import { type Ask, ask, type HttpAnswer } from './http.ts'
import { type Endpoint, openSink, type Script, type Sink } from './sink.ts'
import type { Login, ServerTarget } from './target.ts'
import { pause } from './wait.ts'

export type Body = Readonly<Record<string, unknown>>

/** Someone who asks one of the hosts. */
export interface Caller {
  ask(request: Ask): Promise<HttpAnswer>
  get(path: string): Promise<HttpAnswer>
  post(path: string, body?: Body, headers?: Readonly<Record<string, string>>): Promise<HttpAnswer>
  put(path: string, body: Body): Promise<HttpAnswer>
}

/** A case as the application reads it; what is wrong with a member shows where it is looked at. */
export interface CaseRecord extends Body {
  readonly reviewCaseId: string
  readonly caseVersion: number
  readonly eventSequence: number
  readonly presentationDigest: string | null
  readonly state: string
  readonly decision: string | null
}

/** Everything that a check has at hand. */
export interface World {
  readonly target: ServerTarget
  readonly application: Caller
  /** Sends sessions, by the customer key. */
  readonly backend: Caller
  readonly admin: Caller
  readonly reviewer: Caller
  readonly stranger: Caller
  /** Staff of the deployment, on its own host. */
  readonly staff: Caller
  /** Without any credentials. */
  readonly nobody: { readonly ingest: Caller; readonly portal: Caller }
  readonly reviewerId: string
  readonly adminId: string
  readonly tenantId: string
  readonly clock: ServerClock
  readonly sink: Sink
  /** Opens a fresh case. */
  open(more?: Body): Promise<CaseRecord>
  read(reviewCaseId: string): Promise<CaseRecord>
  /** A webhook at an endpoint of its own, removed when the check is over. */
  webhook(
    more?: Body,
    script?: Script,
  ): Promise<{ readonly id: string; readonly record: Body } & Endpoint>
  /** An application of the check's own with a key of each kind; its deletion is asked for when the check is over. */
  ownApplication(more?: Body): Promise<OwnApplication>
  /** Undoes what the check made. */
  tidy(): Promise<void>
  close(): void
}

/** An application that a check made for itself. */
export interface OwnApplication {
  readonly applicationId: string
  readonly record: Body
  /** By its application key. */
  readonly application: Caller
  /** By its customer key, a secondary one. */
  readonly backend: Caller
}

/** What a login is answered with; `at` is the server's time, ms. */
interface LoggedIn {
  readonly cookie: string
  readonly memberId: string
  readonly tenantId: string
  readonly at: number
}

/** The cookie lasts 24 hours, by a clock that may be moved. */
const loginLastsMs = 20 * 3_600_000
/** A password is slow to check by design, and slower on a busy machine. */
const loginWithinMs = 60_000

export async function openWorld(target: ServerTarget): Promise<World> {
  const { ingest, portal, ca } = target
  const clock: ServerClock = target.clock
    ? serverClock(target.clock)
    : { now: async () => Date.now(), advance: () => missing('clock') }
  const nobody = { ingest: callerOf(ingest, ca), portal: callerOf(portal, ca) }
  const run = randomBytes(5).toString('hex')
  let made = 0
  let undo: (() => Promise<unknown>)[] = []

  const admin = memberOf(target.admin)
  const reviewer = memberOf(target.reviewer)
  const byKey = (key: string) => callerOf(ingest, ca, async () => ({ 'x-api-key': key }))
  const application = byKey(target.applicationKey)
  const backend = callerOf(ingest, ca, async () => ({
    'x-api-key': secretOf(target.customerKey ?? missing('customer key')),
  }))
  const { memberId: reviewerId } = await reviewer.whoAmI()
  const { memberId: adminId, tenantId } = await admin.whoAmI()
  // Any answer will do: checks of a host that is not there would all fail, each after its wait.
  await nobody.ingest.get('/v1/review-cases/rc_reachable')
  // Last: a sink that listened while a login fails would keep the process from ending.
  const sink = target.sink ? await openSink(target.sink) : null

  function memberOf(login: Login): Caller & { readonly whoAmI: () => Promise<LoggedIn> } {
    let held: LoggedIn | null = null
    async function session() {
      const now = await clock.now()
      if (held && now - held.at < loginLastsMs) return held
      const answer = await nobody.portal.ask({
        method: 'POST',
        path: '/v1/auth/login',
        body: { ...login },
        withinMs: loginWithinMs,
      })
      if (answer.status !== 200)
        throw new Error(`${login.email} could not log in: ${answer.status} ${answer.text}`)
      const { token, cookieName, tenantId, member } = answer.body as Body & { member: Body }
      const memberId = String(member.memberId)
      held = { cookie: `${cookieName}=${token}`, memberId, tenantId: String(tenantId), at: now }
      return held
    }
    return {
      ...callerOf(portal, ca, async () => ({ cookie: (await session()).cookie })),
      whoAmI: session,
    }
  }

  const read = async (reviewCaseId: string): Promise<CaseRecord> =>
    granted(await application.get(`/v1/review-cases/${reviewCaseId}`)) as CaseRecord

  return {
    target,
    application,
    backend,
    admin,
    reviewer,
    stranger: target.stranger ? memberOf(target.stranger) : nobody.portal,
    staff: callerOf(target.staff?.url ?? portal, ca, async () => ({
      authorization: `Bearer ${target.staff?.token ?? missing('staff host')}`,
    })),
    nobody,
    reviewerId,
    adminId,
    tenantId,
    clock,
    get sink() {
      return sink ?? missing('sink')
    },
    read,
    async open(more = {}) {
      made += 1
      const name = `${run}-${made}`
      return granted(
        await application.post('/v1/review-cases', { ...openingOf(name), ...more }),
      ) as CaseRecord
    },
    async webhook(more = {}, script) {
      if (!sink) return missing('sink')
      const endpoint = sink.endpoint(script)
      const answer = await admin.post('/v1/webhooks', {
        url: endpoint.url,
        eventTypes: ['*'],
        ...more,
      })
      const record = granted(answer)
      const id = String(record.id)
      undo.push(() => admin.ask({ method: 'DELETE', path: `/v1/webhooks/${id}` }))
      return { ...endpoint, id, record }
    },
    async ownApplication(more = {}) {
      made += 1
      const body = { name: `Conformance ${run}-${made}`, ...more }
      const record = granted(await admin.post('/v1/applications', body))
      const applicationId = String(record.applicationId)
      const at = `/v1/applications/${applicationId}`
      // Under way or over, where the check went as far itself.
      undo.push(() => admin.ask({ method: 'DELETE', path: `${at}/purge` }))
      const key = granted(await admin.post(`${at}/application-keys`, { label: 'conformance' }))
      const issued = granted(await admin.post('/v1/customer-keys/issue', { applicationId }))
      return {
        applicationId,
        record,
        application: byKey(String(key.value)),
        backend: byKey(secretOf(String(issued.value))),
      }
    },
    async tidy() {
      const all = undo
      undo = []
      const failures: unknown[] = []
      for (const step of all) await step().catch((error: unknown) => failures.push(error))
      if (failures.length > 0) throw failures[0]
    },
    close: () => sink?.close(),
  }
}

function missing(what: string): never {
  throw new ConformanceError(`the check uses a ${what} that it does not say it needs`)
}

const mostTries = 3
const longestWaitS = 10

function callerOf(
  origin: string,
  ca: string | undefined,
  credentials: () => Promise<Readonly<Record<string, string>>> = async () => ({}),
): Caller {
  const once = async (request: Ask) =>
    ask(origin, ca, { ...request, headers: { ...(await credentials()), ...request.headers } })
  // Passwords and tokens that the checks have refused on purpose count against their address: what comes after waits.
  const asking = async (request: Ask) => {
    for (let tries = 1; ; tries++) {
      const answer = await once(request)
      const waitS = Number(answer.headers['retry-after'])
      const isThrottled = answer.status === 429 && answer.body.code === 'too_many_attempts'
      if (!isThrottled || tries === mostTries || !(waitS <= longestWaitS)) return answer
      await pause(waitS * 1_000)
    }
  }
  return {
    ask: asking,
    get: (path) => asking({ method: 'GET', path }),
    post: (path, body = {}, headers = {}) => asking({ method: 'POST', path, body, headers }),
    put: (path, body) => asking({ method: 'PUT', path, body }),
  }
}

/** What a direct call sends of a customer key: its last segment. */
export const secretOf = (customerKey: string): string => customerKey.split('.').at(-1) ?? ''

export function openingOf(name: string): Body {
  return {
    sessionId: `ses_${name}`,
    checkpointId: `checkpoint-${name}`,
    resumeToken: `resume-${name}`,
    reasonCategory: 'high_risk_action',
    reviewTier: 'high',
    presentation: { action: 'payment', amount: '1200.00 EUR' },
    idempotencyKey: `open-${name}`,
  }
}

/** The body of a success. */
export function granted(answer: HttpAnswer): Body {
  expect(answer.status === 200, `expected 200, got ${answer.status}: ${answer.text}`)
  return answer.body
}

/** That it is refused with this status and code, in the one shape of errors. */
export function refused(answer: HttpAnswer, status: number, code?: string): void {
  const came = `${answer.status} ${String(answer.body.code)}`
  expect(
    answer.status === status && (code === undefined || answer.body.code === code),
    `expected ${status} ${code ?? ''}, got ${came}: ${answer.text}`,
  )
  expectEqual(answer.body.status, status, 'the status in the error body')
  expect(
    Array.isArray(answer.body.errors) && answer.body.errors.length > 0,
    `expected an errors array with entries, got ${answer.text}`,
  )
}
