import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { composeServer } from '../../compose.ts'
import { readConfig } from '../../config.ts'
import { freePorts } from '../../demo/processes.ts'
import { serveParent } from '../child.ts'
import { granted, organize } from '../service.ts'

export interface Ready {
  readonly port: number
  readonly key: string
}

const secret = () => randomBytes(32).toString('base64')

/** The composed server. Each question is answered with the longest block of its loop since the last one, ms. */
await serveParent<{ readonly directory: string }>(async ({ directory }) => {
  const [ingest = 0, portal = 0, staff = 0] = await freePorts(3)
  const server = await composeServer(
    readConfig({
      COUNTERSIGN_DATABASE: join(directory, 'countersign.sqlite'),
      COUNTERSIGN_MASTER_KEY: secret(),
      COUNTERSIGN_SESSION_SECRET: secret(),
      COUNTERSIGN_INGEST_PORT: String(ingest),
      COUNTERSIGN_PORTAL_PORT: String(portal),
      COUNTERSIGN_STAFF_PORT: String(staff),
      COUNTERSIGN_INGEST_URL: `http://127.0.0.1:${ingest}`,
      COUNTERSIGN_PORTAL_URL: `http://127.0.0.1:${portal}`,
      COUNTERSIGN_LOG_LEVEL: 'error',
      COUNTERSIGN_RATE_PER_MINUTE: '100000000',
    }),
  )
  await server.start()
  const { service } = server
  const { tenantId, application } = await organize(service, 'ingest')
  const { applicationId } = application
  const issued = granted(
    await service.access.issueCustomerKey(
      { kind: 'system' },
      { tenantId, applicationId, type: 'primary ingest' },
    ),
  )
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  const ready: Ready = { port: ingest, key: issued.value.split('.').at(-1) ?? '' }
  return {
    ready,
    answer: async () => {
      const blockMs = delays.max / 1e6
      delays.reset()
      return blockMs
    },
  }
})
