import { auditLog } from '@countersign/core/ledger'
import type { LogEntry, Observer, Store } from '@countersign/core/ports'
import type { Watched } from './metrics.ts'

/** Tells at intervals what an archive of the logs should hold: heads of audit logs that grew, and deliveries given up. */
export interface Reports {
  /** Tells now what happened since the last report. */
  report(): Promise<void>
  stop(): void
}

const everyMs = 60_000
const hashDigits = 16

export function createReports(store: Watched, observer: Observer): Reports {
  const timer = setInterval(() => void report(), everyMs)
  timer.unref()

  async function report(): Promise<void> {
    for (const [cause, count] of store.takeDeadLetters())
      observer.event('outbox.dead_letters', { cause, count })
    for (const tenantId of store.takeAudited())
      try {
        const head = await headOf(store, tenantId)
        if (head) observer.event('audit.head', { tenantId, ...head })
      } catch (error) {
        observer.event('audit.head_failed', { tenantId, error: String(error) })
      }
  }

  return { report, stop: () => clearInterval(timer) }
}

async function headOf(store: Store, partition: string) {
  const log = auditLog.name
  const last = Number.MAX_SAFE_INTEGER
  const [end] = await store.read(null, [{ log, partition, after: last, take: 1 }])
  const position = end?.total ?? 0
  if (position === 0) return null
  const [found] = await store.read(null, [{ log, partition, after: position - 1, take: 1 }])
  const entry = found?.rows[0]?.row as LogEntry | undefined
  if (!entry) return null
  const hash = Buffer.from(entry.hash).toString('hex').slice(0, hashDigits)
  return { position: entry.position, hash }
}
