import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createSoftwareAuthenticator } from '@countersign/conformance/authenticator'
import { collections, type MemberActor, type Service } from '@countersign/core'
import type { OutOf } from '@countersign/core/kernel'
import type { stateDecision } from '@countersign/core/operations'
import { challengeOf } from '@countersign/core/webauthn'
import { composeServer } from '../../compose.ts'
import { readConfig } from '../../config.ts'
import { freePorts } from '../../demo/processes.ts'
import { serveParent } from '../child.ts'
import { inTurn } from '../figure.ts'
import { granted, openCase, organize } from '../service.ts'

export interface Ready {
  readonly port: number
  /** Of the first reviewer. */
  readonly cookie: string
}

/** A case that waits for its decision, and what its reviewer sends. */
export interface Waiting {
  readonly reviewCaseId: string
  readonly cookie: string
  readonly choice: object
}

const secret = () => randomBytes(32).toString('base64')
const atOnce = 128

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/**
 * `texts`: `clear` to leave out what seals texts in rows, for comparison. `reviewers`: who decide in turn, 1 unless given.
 * `signed`: by authenticators of theirs.
 */
interface Given {
  readonly directory: string
  readonly texts?: 'clear'
  readonly reviewers?: number
  readonly signed?: boolean
}

await serveParent<Given>(async ({ directory, texts, reviewers: count = 1, signed = false }) => {
  if (texts === 'clear') for (const each of collections) Object.assign(each, { sealed: [] })
  const [ingest = 0, portal = 0, staff = 0] = await freePorts(3)
  const portalUrl = `http://localhost:${portal}`
  const server = await composeServer(
    readConfig({
      COUNTERSIGN_DATABASE: join(directory, 'countersign.sqlite'),
      COUNTERSIGN_MASTER_KEY: secret(),
      COUNTERSIGN_SESSION_SECRET: secret(),
      COUNTERSIGN_INGEST_PORT: String(ingest),
      COUNTERSIGN_PORTAL_PORT: String(portal),
      COUNTERSIGN_STAFF_PORT: String(staff),
      COUNTERSIGN_INGEST_URL: `http://127.0.0.1:${ingest}`,
      COUNTERSIGN_PORTAL_URL: portalUrl,
      COUNTERSIGN_LOG_LEVEL: 'error',
      // One reviewer decides thousands of cases a second, from one address.
      COUNTERSIGN_MEMBER_RATE_PER_MINUTE: '100000000',
      COUNTERSIGN_ADDRESS_RATE_PER_MINUTE: '100000000',
    }),
  )
  await server.start()
  const { service } = server
  const organization = await organize(service, 'decide')
  const { tenantId } = organization
  // One after another, for their passwords are hashed.
  const reviewers = await inTurn(count, (at) =>
    reviewerOf(service, tenantId, at, signed ? portalUrl : null),
  )

  async function caseOf({ actor, cookie, sign }: Reviewer): Promise<Waiting> {
    const reviewCaseId = await openCase(service, organization)
    const claimed = granted(await service.reviewCases.claim(actor, { reviewCaseId }))
    const { caseVersion, presentationDigest } = claimed
    const seen = { caseVersion, presentationDigest: presentationDigest ?? '' }
    const choice = { ...seen, decision: 'approved', comment: 'as ordered' } as const
    const stated = { reviewCaseId, ...choice }
    const signature = sign?.(granted(await service.reviewCases.stateDecision(actor, stated)))
    return { reviewCaseId, cookie, choice: { ...choice, ...(signature && { signature }) } }
  }

  async function waiting(count: number): Promise<readonly Waiting[]> {
    const cases: Waiting[] = []
    while (cases.length < count) {
      const some = Array.from({ length: Math.min(atOnce, count - cases.length) }, (_, at) =>
        caseOf(reviewers[(cases.length + at) % reviewers.length] as Reviewer),
      )
      cases.push(...(await Promise.all(some)))
    }
    return cases
  }

  const ready: Ready = { port: portal, cookie: reviewers[0]?.cookie ?? '' }
  return {
    ready,
    answer: async (asked) => (asked === 'cpu' ? cpuMs() : waiting(Number(asked))),
  }
})

interface Reviewer {
  readonly actor: MemberActor
  readonly cookie: string
  /** Null for one who does not sign. */
  readonly sign: ((stated: Stated) => object) | null
}

type Stated = OutOf<typeof stateDecision.gives>

/** A member who reviews, logged in; with the `origin` of the portal they sign by ES256, as most authenticators do. */
async function reviewerOf(
  service: Service,
  tenantId: string,
  at: number,
  origin: string | null,
): Promise<Reviewer> {
  const account = { email: `ruth-${at}@decide.example`, password: 'a long enough password' }
  granted(
    await service.members.create(
      { kind: 'system' },
      {
        tenantId,
        ...account,
        name: 'Ruth',
        role: 'CustomerAuditor',
        permissions: ['Review Cases'],
      },
    ),
  )
  const address = `192.0.2.${at}`
  const { token } = granted(await service.auth.login({ ...account, address }))
  const actor = granted(await service.access.authenticateMember(token))
  const cookie = `service_customer_token=${token}`
  if (origin === null) return { actor, cookie, sign: null }
  const use = 'signing' as const
  const { password } = account
  const begun = granted(
    await service.authenticators.startRegistration(actor, { use, password, address }),
  )
  const { challenge } = begun.options as { readonly challenge: string }
  const place = { rpId: 'localhost', origin }
  const key = createSoftwareAuthenticator({ algorithm: 'ES256', ...place })
  // It does not count, as passkeys of several devices: decisions come in any order.
  const { id, response } = key.register({ challenge, signCount: 0 })
  const credential = { id, response }
  granted(await service.authenticators.enrol(actor, { name: 'Key', use, credential }))
  return {
    actor,
    cookie,
    sign: ({ statement, nonces }) => ({
      ...{ statement, nonces },
      ...key.assert({ challenge: challengeOf(statement), signCount: 0 }),
    }),
  }
}
