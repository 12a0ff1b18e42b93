import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ApiError, type CaseAnswer, type Client, createClient } from '@countersign/client'
import { createPortalClient, type PortalClient } from '@countersign/client/portal'
import { MemorySaver } from '@langchain/langgraph'
import type { Disk } from './entries.ts'

const program = fileURLToPath(
  new URL('../../../../reference-server/dist/test/processes/reviewed-server.js', import.meta.url),
)

/** What a reviewer does with a case; null leaves it open. */
export type Choice =
  | {
      readonly decision: 'approved' | 'rejected' | 'response_submitted'
      readonly comment?: string
      readonly response?: unknown
    }
  | 'cancel'
  | null

/** The reference server as a process, an application's client, and a reviewer. */
export interface World {
  readonly client: Client
  readonly told: { readonly ingestUrl: string; readonly apiKey: string }
  readonly portal: PortalClient
  /** Cases of a session in the order of their opening. */
  casesOf(sessionId: string): Promise<readonly CaseAnswer[]>
  /** Decides the cases of a session as they come, until it is stopped; `choose` sees the action. */
  review(
    sessionId: string,
    choose: (action: Shown, nth: number) => Choice,
  ): { stop(): Promise<void> }
  end(): void
}

/** What a case shows first. */
export interface Shown {
  readonly tool: string
  readonly arguments: { readonly to?: string; readonly amount?: number }
}

export async function openWorld(): Promise<World> {
  const server: ChildProcess = spawn(process.execPath, [program, '--unreviewed'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const line = await new Promise<string>((resolve, reject) => {
    server.stdout?.once('data', (text: Buffer) => resolve(text.toString()))
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

  async function decide(reviewCaseId: string, choice: Exclude<Choice, null>): Promise<void> {
    if (choice === 'cancel') {
      await client.reviewCases.cancel({ reviewCaseId, reasonCategory: 'end_user_cancelled' })
      return
    }
    const seen = await portal.reviewCases.claim({ reviewCaseId })
    const presentationDigest = seen.presentationDigest ?? ''
    await portal.reviewCases.decide({ case: seen, presentationDigest, ...choice })
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
          await decide(reviewCaseId, choice).catch((error: unknown) => {
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

  return { client, told, portal, casesOf, review, end: () => server.stdin?.end() }
}

/** What outlives an agent that is abandoned within this process. */
export function memoryDisk(): Disk {
  let kept: string | null = null
  return {
    load: () => kept,
    save: (text) => {
      kept = text
    },
    saver: new MemorySaver(),
  }
}
