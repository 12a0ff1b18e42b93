import { spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type CaseAnswer, type Client, createClient } from '@countersign/client'
import { createPortalClient } from '@countersign/client/portal'

const program = fileURLToPath(
  new URL('../../../../reference-server/dist/test/processes/reviewed-server.js', import.meta.url),
)

/** The reference server as a process, an application's client, and a reviewer. */
export interface World {
  readonly client: Client
  readonly told: { readonly ingestUrl: string; readonly apiKey: string }
  casesOf(sessionId: string): Promise<readonly CaseAnswer[]>
  /** Waits for an open case of a session, and decides it. */
  decide(sessionId: string, decision: 'approved' | 'rejected'): Promise<void>
  /** Waits for an open case of a session, and asks about it. */
  question(sessionId: string, question: string): Promise<void>
  end(): void
}

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

  async function claimed(sessionId: string): Promise<CaseAnswer> {
    for (;;) {
      const open = (await casesOf(sessionId)).find(({ state }) => state === 'open')
      if (open) return portal.reviewCases.claim({ reviewCaseId: open.reviewCaseId })
      await pause(50)
    }
  }

  return {
    client,
    told,
    casesOf,
    async decide(sessionId, decision) {
      const seen = await claimed(sessionId)
      const presentationDigest = seen.presentationDigest ?? ''
      await portal.reviewCases.decide({ case: seen, presentationDigest, decision })
    },
    async question(sessionId, question) {
      const seen = await claimed(sessionId)
      await portal.reviewCases.requestFollowUp({ case: seen, question })
    },
    end: () => server.stdin.end(),
  }
}
