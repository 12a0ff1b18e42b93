import { spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ApiError, type CaseAnswer, type Client, createClient } from '@countersign/client'
import { createPortalClient, type PortalClient } from '@countersign/client/portal'
import {
  createSoftwareAuthenticator,
  type SoftwareAuthenticator,
} from '@countersign/conformance/authenticator'
import { challengeOf } from '@countersign/core/webauthn'

const program = fileURLToPath(new URL('../processes/reviewed-server.js', import.meta.url))

/** What a reviewer does with a case; null leaves it open. */
export type Choice =
  | {
      readonly decision: 'approved' | 'rejected' | 'response_submitted'
      readonly comment?: string
      readonly response?: unknown
    }
  | 'cancel'
  | null

/** What a case shows first. */
export interface Shown {
  readonly tool: string
  readonly arguments: { readonly to?: string; readonly amount?: number }
}

/** The reference server as a process, an application's client, and a reviewer. */
export interface World {
  readonly client: Client
  /** What another process makes its client of. */
  readonly told: { readonly ingestUrl: string; readonly apiKey: string }
  /** Cases of a session in the order of their opening. */
  casesOf(sessionId: string): Promise<readonly CaseAnswer[]>
  /** Waits until a session has so many cases. */
  opened(sessionId: string, number: number): Promise<void>
  /** Decides the cases of a session as they come, until it is stopped; `choose` sees the action. */
  review(
    sessionId: string,
    choose: (action: Shown, nth: number) => Choice,
  ): { stop(): Promise<void> }
  /** Waits for an open case of a session, and decides it. */
  decide(sessionId: string, decision: 'approved' | 'rejected', comment?: string): Promise<void>
  /** Waits for an open case of a session, and asks about it. */
  question(sessionId: string, question: string): Promise<void>
  /**
   * Enrols an authenticator of the reviewer's, who signs each decision from then on, as a browser does; what pins its key,
   * as the programs take it.
   */
  enrol(): Promise<PinnedFile>
  end(): void
}

/** What a file of pinned reviewers has. */
export interface PinnedFile {
  readonly tenantId: string
  readonly applicationId: string
  readonly rpId: string
  readonly origins: readonly string[]
  readonly keys: readonly object[]
}

/** Starts a server of its own; `end` ends it. */
export async function openWorld(): Promise<World> {
  const server = spawn(process.execPath, [program, '--unreviewed'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const line = await new Promise<string>((resolve, reject) => {
    server.stdout.once('data', (text: Buffer) => resolve(text.toString()))
    server.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
  })
  const { portalUrl, reviewer, ...told } = JSON.parse(line)
  const client = createClient(told)
  const portal = createPortalClient({ portalUrl })
  await portal.auth.login(reviewer)

  async function casesOf(sessionId: string): Promise<CaseAnswer[]> {
    const found: CaseAnswer[] = []
    for await (const { reviewCaseId } of portal.reviewCases.list({ sessionId }))
      found.unshift(await client.reviewCases.read({ reviewCaseId }))
    return found
  }

  let authenticator: SoftwareAuthenticator | null = null

  async function enrol(): Promise<PinnedFile> {
    const { origin, hostname: rpId } = new URL(portalUrl)
    if (!authenticator) {
      const made = createSoftwareAuthenticator({ algorithm: 'ES256', rpId, origin })
      await register(portal, made, reviewer.password)
      authenticator = made
    }
    const keys: object[] = []
    for await (const key of client.reviewerKeys.list()) keys.push(key)
    const { tenantId } = await portal.auth.session()
    const [application] = (await portal.applications.list()).applications
    if (!application) throw new Error('expected an application')
    const { applicationId } = application
    return { tenantId, applicationId, rpId, origins: [origin], keys }
  }

  async function signatureOf(
    by: SoftwareAuthenticator,
    { reviewCaseId, caseVersion, presentationDigest: digest }: CaseAnswer,
    choice: Exclude<Choice, 'cancel' | null>,
  ) {
    const presentationDigest = digest ?? ''
    const stating = { reviewCaseId, caseVersion, presentationDigest, ...choice }
    const { statement, nonces } = await portal.reviewCases.stateDecision(stating)
    return { statement, nonces, ...by.assert({ challenge: challengeOf(statement) }) }
  }

  async function carryOut(reviewCaseId: string, choice: Exclude<Choice, null>): Promise<void> {
    if (choice === 'cancel') {
      await client.reviewCases.cancel({ reviewCaseId, reasonCategory: 'end_user_cancelled' })
      return
    }
    const seen = await portal.reviewCases.claim({ reviewCaseId })
    const presentationDigest = seen.presentationDigest ?? ''
    const decision = { case: seen, presentationDigest, ...choice }
    const signature = authenticator && (await signatureOf(authenticator, seen, choice))
    await portal.reviewCases.decide({ ...decision, ...(signature && { signature }) })
  }

  function review(sessionId: string, choose: (action: Shown, nth: number) => Choice) {
    let isStopped = false
    let nth = 0
    const look = async () => {
      while (!isStopped) {
        const open = (await casesOf(sessionId)).filter(({ state }) => state === 'open')
        for (const { reviewCaseId, presentation } of open) {
          const choice = choose(presentation?.action as Shown, nth++)
          if (choice === null) continue
          await carryOut(reviewCaseId, choice).catch((error: unknown) => {
            const closed = ['invalid_transition', 'case_expired']
            if (!(error instanceof ApiError && closed.includes(error.code))) throw error
          })
        }
        await pause(40)
      }
    }
    const looking = look()
    return {
      stop: () => {
        isStopped = true
        return looking
      },
    }
  }

  async function openCase(sessionId: string): Promise<string> {
    for (;;) {
      const open = (await casesOf(sessionId)).find(({ state }) => state === 'open')
      if (open) return open.reviewCaseId
      await pause(40)
    }
  }

  return {
    client,
    told,
    casesOf,
    review,
    async opened(sessionId, number) {
      while ((await casesOf(sessionId)).length < number) await pause(40)
    },
    async decide(sessionId, decision, comment) {
      await carryOut(await openCase(sessionId), { decision, ...(comment && { comment }) })
    },
    async question(sessionId, question) {
      const reviewCaseId = await openCase(sessionId)
      const seen = await portal.reviewCases.claim({ reviewCaseId })
      await portal.reviewCases.requestFollowUp({ case: seen, question })
    },
    enrol,
    end: () => void server.stdin.end(),
  }
}

async function register(
  portal: PortalClient,
  authenticator: SoftwareAuthenticator,
  password: string,
): Promise<void> {
  const use = 'signing' as const
  const { options } = await portal.authenticators.startRegistration({ use, password })
  const { challenge } = options as { readonly challenge: string }
  const { id, response } = authenticator.register({ challenge })
  await portal.authenticators.enrol({ name: 'Blue key', use, credential: { id, response } })
}
