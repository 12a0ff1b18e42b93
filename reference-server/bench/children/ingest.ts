import { randomBytes } from 'node:crypto'
import { existsSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { highestRatePerMinute } from '@countersign/core/ledger'
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

/** The longest time in ms that the loop was not free for anything else: by the clock, and on the processor. */
export interface Blocks {
  readonly blockMs: number
  readonly cpuMs: number
}

/**
 * Processor time of this thread in ms where Linux tells it (proc(5), schedstat), of the whole process elsewhere; a busy
 * machine does not change it.
 */
function cpuMeter(): () => number {
  if (!existsSync('/proc/self/schedstat'))
    return () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1_000
    }
  const file = openSync('/proc/self/schedstat', 'r')
  const bytes = Buffer.alloc(64)
  return () => {
    const length = readSync(file, bytes, 0, bytes.length, 0)
    return Number(bytes.toString('latin1', 0, length).split(' ')[0]) / 1e6
  }
}

/** The most of it that one turn of the loop takes, until `stop`. */
function watchTurns(): { stop(): number } {
  const cpu = cpuMeter()
  let most = 0
  let last = cpu()
  let running = true
  const turn = () => {
    const now = cpu()
    most = Math.max(most, now - last)
    last = now
    if (running) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    stop() {
      running = false
      return most
    },
  }
}

/** The composed server. Asked for `reset`, it watches its loop until the next question, which is answered with its blocks. */
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
    }),
  )
  await server.start()
  const { service } = server
  // Of the smallest plan, whose month has too few sessions.
  const { tenantId, application } = await organize(service, 'ingest', 'Team')
  const { applicationId } = application
  const issued = granted(
    await service.customerKeys.provision(
      { kind: 'system' },
      { tenantId, applicationId, type: 'primary ingest', ratePerMinute: highestRatePerMinute },
    ),
  )
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  const ready: Ready = { port: ingest, key: issued.value.split('.').at(-1) ?? '' }
  let turns = watchTurns()
  turns.stop()
  return {
    ready,
    answer: async (question): Promise<Blocks> => {
      const blocks = { blockMs: delays.max / 1e6, cpuMs: turns.stop() }
      delays.reset()
      if (question === 'reset') turns = watchTurns()
      return blocks
    },
  }
})
