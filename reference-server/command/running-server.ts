import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { rootCertificates } from 'node:tls'
import { ApiError } from '@countersign/client'
import { createPortalClient, type PortalClient } from '@countersign/client/portal'
import { Agent, fetch } from 'undici'
import { findLocalServer } from '../local.ts'
import { readOrganization } from '../seed.ts'
import { startSettings } from '../start-settings.ts'
import type { Tls } from '../tls.ts'
import { CommandError, type Surroundings } from './subcommand.ts'

/** The server that `npm start` runs, as a command beside it uses it. */
export interface RunningServer {
  /** Logged in as the organization's admin. */
  readonly portal: PortalClient
  /** For a listener on loopback that the server trusts. */
  readonly tls: Tls
  /** What signs events of the legacy family to the receivers of this directory. */
  readonly legacySecret: string
  /** Whether a request of this URL is answered with success; false where nobody listens. */
  answers(url: string): Promise<boolean>
  close(): Promise<void>
}

/** Ms; what has not answered by then is taken to be there, and slow. */
const probeMs = 5_000

/** Finds the server that runs on the directory of `npm start`, and logs in. */
export async function findRunningServer({ environment }: Surroundings): Promise<RunningServer> {
  const directory = resolve(
    environment.COUNTERSIGN_DIRECTORY || startSettings.COUNTERSIGN_DIRECTORY,
  )
  const local = findLocalServer(directory)
  if (local === null)
    throw new CommandError(
      `no server was started in ${directory}: run npm start, or set COUNTERSIGN_DIRECTORY as it has it`,
    )
  const { admin, legacySecret } = readOrganization(local.credentialsFile)
  const tls = { key: readFileSync(local.tlsKey), cert: readFileSync(local.tlsCert) }
  const ca = [...rootCertificates, readFileSync(local.caFile, 'utf8')]
  const dispatcher = new Agent({ connect: { ca } })
  const ask = (url: string, init: object) => fetch(url, { ...init, dispatcher })
  const portal = createPortalClient({
    portalUrl: local.portalUrl,
    // The same functions as the global ones, under other types.
    surroundings: { fetch: ask as unknown as typeof globalThis.fetch },
  })
  try {
    await portal.auth.login({ email: admin.email, password: admin.password })
  } catch (error) {
    await dispatcher.destroy()
    if (!(error instanceof ApiError) || error.status !== null) throw error
    throw new CommandError(
      `no server answers at ${local.portalUrl}: run npm start with COUNTERSIGN_DIRECTORY=${directory}`,
      { cause: error },
    )
  }
  return {
    portal,
    tls,
    legacySecret,
    answers: async (url) => {
      try {
        const answer = await ask(url, { signal: AbortSignal.timeout(probeMs) })
        await answer.body?.cancel()
        return answer.ok
      } catch (error) {
        // What hangs is there still, such as a process that a debugger holds.
        return (error as Error).name === 'TimeoutError'
      }
    },
    close: () => dispatcher.destroy(),
  }
}
