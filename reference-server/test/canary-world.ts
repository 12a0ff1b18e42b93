import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { collections, createService, logs } from '@countersign/core'
import { auditLog } from '@countersign/core/ledger'
import type { LogEntry, Mail, Sealer } from '@countersign/core/ports'
import {
  answered,
  createManualClock,
  plainArchives,
  plainPasswords,
  plainRenderer,
  scriptedEgress,
  scriptedTransport,
} from '@countersign/core/testing'
import type { Host } from '@countersign/koa'
import {
  fileBlobs,
  nativeCipher,
  nativePrimitives,
  nodeRandom,
  rateWindow,
  sealer,
  sessionTokens,
} from '@countersign/node'
import { backupDatabase, openSqliteStore } from '@countersign/sqlite'
import { pino } from 'pino'
import { logObserver, observers } from '../logs.ts'
import { createMetrics } from '../metrics.ts'
import { type Asked, openHosts } from './hosts.ts'

export const start = Date.UTC(2026, 10, 21, 9, 0, 0)

/** Texts that are told nowhere but where they belong, each with the name of its field. */
export interface Canaries {
  /** A text of its own for a field. */
  of(field: string): string
  /** Remembers a text that the service made. */
  note(field: string, text: string): string
  /** The fields whose texts stand in these words. */
  foundIn(words: string | Uint8Array): readonly string[]
  /** As `foundIn`, and also of texts in UTF-16 and base64. */
  foundInAnyForm(bytes: Uint8Array): readonly string[]
  /** All that begin with this name. */
  named(prefix: string): readonly { readonly field: string; readonly text: string }[]
}

export function createCanaries(): Canaries {
  const texts = new Map<string, string>()
  const note = (field: string, text: string) => {
    texts.set(text, field)
    return text
  }
  return {
    note,
    of: (field) => note(field, `canary${randomBytes(9).toString('hex')}`),
    foundIn(words) {
      const bytes = Buffer.from(words)
      return [...texts].flatMap(([text, field]) => (bytes.includes(text) ? [field] : []))
    },
    foundInAnyForm(words) {
      const bytes = Buffer.from(words)
      return [...texts].flatMap(([text, field]) =>
        formsOf(text).some((form) => bytes.includes(form)) ? [field] : [],
      )
    },
    named: (prefix) =>
      [...texts].flatMap(([text, field]) => (field.startsWith(prefix) ? [{ field, text }] : [])),
  }
}

/** A text as it stands in UTF-8, in UTF-16 of either order, and in base64 behind any other bytes. */
function formsOf(text: string): readonly Buffer[] {
  const wide = Buffer.from(text, 'utf16le')
  const coded = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)])
    // Without the characters that neighbours have a part in.
    const whole = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64')
    return Buffer.from(whole.slice(before === 0 ? 0 : 4))
  })
  return [Buffer.from(text), wide, Buffer.from(wide).swap16(), ...coded]
}

/** Every file below a directory. */
function filesIn(directory: string): readonly string[] {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name)
    return statSync(path).isDirectory() ? filesIn(path) : [path]
  })
}

/** The service behind all three hosts with the server's logs and metrics, on SQLite and files. */
export async function openCanaryWorld(sealing: (right: Sealer) => Sealer = (right) => right) {
  const directory = mkdtempSync(join(tmpdir(), 'canaries-'))
  const clock = createManualClock(start, {
    settle: () => new Promise((resolve) => setTimeout(resolve, 2)),
  })
  let backups = 0
  const lines: string[] = []
  const logged = logObserver(
    pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
  )
  const metrics = createMetrics(logged)
  const observer = observers(logged, metrics.observer)
  const sqlite = openSqliteStore({ file: join(directory, 'store.db'), collections, logs })
  const store = metrics.watch(sqlite, clock.now, sqlite.files)
  const transport = scriptedTransport(() => answered(200))
  const mails: Mail[] = []
  const random = nodeRandom()
  const service = createService({
    ports: {
      store,
      clock,
      random,
      observer,
      primitives: nativePrimitives,
      transport,
      egress: scriptedEgress(() => null),
      sealer: sealing(sealer({ masterKey: randomBytes(32) })),
      cipher: nativeCipher(),
      blobs: fileBlobs({ directory: join(directory, 'blobs') }),
      passwords: plainPasswords(),
      tokens: sessionTokens({ secret: randomBytes(32), issuer: 'https://portal.example' }),
      renderer: plainRenderer,
      archives: plainArchives,
      mailer: {
        send: async (mail) => {
          mails.push(mail)
          // As relays do, which name the address.
          if (mails.length === 1) throw new Error(`550 no such user: ${mail.to}, ${mail.text}`)
        },
      },
    },
    ingestUrl: 'https://ingest.example',
    portalUrl: 'https://portal.example',
  })
  const options = {
    service,
    clock,
    observer,
    rateLimit: { window: rateWindow(), perMinute: 100_000 },
    portalRateLimit: { window: rateWindow(), perMember: 100_000, perAddress: 100_000 },
    sandboxTenantId: null,
  }
  const hosts = await openHosts(options, { random, middleware: [metrics.middleware] })

  return {
    service,
    clock,
    store,
    transport,
    mails,
    /** Log lines so far, each a JSON object. */
    lines,
    /** What Prometheus reads. */
    metrics: () => metrics.registry.metrics(),
    /** A request to one of the hosts, from an address of its own. */
    async call(
      host: Host,
      method: string,
      path: string,
      asked: Asked = {},
    ): Promise<{ readonly status: number; readonly text: string }> {
      const response = await hosts.call(host, method, path, asked)
      return { status: response.status, text: await response.text() }
    },
    /** The texts of a tenant's audit entries. */
    async audited(tenantId: string): Promise<readonly string[]> {
      const read = { log: auditLog.name, partition: tenantId, after: 0, take: 10_000 }
      const [found] = await store.read(tenantId, [read])
      return (found?.rows ?? []).map(({ row }) => new TextDecoder().decode((row as LogEntry).entry))
    },
    /** Lets what is due happen for so long, in steps. */
    async pass(ms: number, step = ms): Promise<void> {
      for (let left = ms; left > 0; left -= step) await clock.advance(step)
    },
    /** The bytes of every file that the service wrote. */
    files: () => filesIn(directory).map((file) => ({ file, bytes: readFileSync(file) })),
    /** Makes a backup of the database, which `files` then has too. */
    backUp: () =>
      backupDatabase({
        file: join(directory, 'store.db'),
        to: join(directory, `backup-${++backups}.db`),
      }),
    close: async () => {
      await service.drain(1_000)
      await hosts.close()
      await store.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

export type CanaryWorld = Awaited<ReturnType<typeof openCanaryWorld>>
