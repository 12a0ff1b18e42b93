import { setTimeout as pause } from 'node:timers/promises'
import { ApiError, type Client, createClient } from '@countersign/client'
import { createPortalClient, type PortalClient } from '@countersign/client/portal'
import { ownPorts } from '../own-ports.ts'
import { endProcess } from './end-process.ts'
import { prepareStage, type StagedServer } from './stage.ts'

/** A server under ports of its own that is killed and started again, an application that asks and a reviewer. */
export interface KilledServer {
  readonly client: Client
  /** Logged in once the server has started. */
  readonly portal: PortalClient
  /** One more client of the same application, as after its restart. */
  newClient(): Client
  start(): Promise<void>
  /** Ends the server's process at once. */
  kill(): Promise<void>
  end(): Promise<void>
}

export async function prepareKilledServer(directory: string): Promise<KilledServer> {
  const stage = await prepareStage(directory)
  const [ingest = 0, portalPort = 0] = await ownPorts(2)
  const [ingestUrl, portalUrl] = [`http://127.0.0.1:${ingest}`, `http://127.0.0.1:${portalPort}`]
  const environment = {
    COUNTERSIGN_INGEST_PORT: String(ingest),
    COUNTERSIGN_PORTAL_PORT: String(portalPort),
    // Issues the sessions, which outlive a kill.
    COUNTERSIGN_PORTAL_URL: portalUrl,
  }
  const newClient = () => createClient({ ingestUrl, apiKey: stage.organization.applicationKey })
  const portal = createPortalClient({ portalUrl })
  let server: StagedServer | null = null
  let loggedIn = false
  return {
    client: newClient(),
    portal,
    newClient,
    async start() {
      server = await stage.start({ environment })
      if (!loggedIn) await portal.auth.login(stage.organization.reviewer)
      loggedIn = true
    },
    async kill() {
      if (!server) throw new Error('no server was started')
      await endProcess(server.process)
    },
    end: () => stage.end(),
  }
}

/** Repeats what an act of a reviewer does until it is not kept from its end by a kill. */
export async function persevere<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++)
    try {
      return await act()
    } catch (error) {
      const lost = error instanceof ApiError && error.status === null
      if (!lost || tries === 100) throw error
      await pause(50)
    }
}

/** Decides every open case as its session asks for. */
export async function decideAll(
  portal: PortalClient,
  wanted: (sessionId: string) => 'approved' | 'rejected',
): Promise<void> {
  for await (const { reviewCaseId } of portal.reviewCases.list({ state: 'open' })) {
    const seen = await portal.reviewCases.claim({ reviewCaseId })
    const presentationDigest = seen.presentationDigest ?? ''
    const decision = wanted(seen.sessionId)
    await portal.reviewCases.decide({ case: seen, presentationDigest, decision })
  }
}
