import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  collections,
  createService,
  logs,
  type Service,
  type ServicePorts,
} from '@countersign/core'
import { newId } from '@countersign/core/ledger'
import type { Random } from '@countersign/core/ports'
import { zipArchives } from '@countersign/documents'
import {
  fileBlobs,
  nativeCipher,
  nativePrimitives,
  nodePause,
  nodeRandom,
  sealer,
  sessionTokens,
} from '@countersign/node'
import { openSqliteStore } from '@countersign/sqlite'
import { seedSandbox } from './seed-sandbox.ts'
import { steppedClock } from './stepped-clock.ts'

/** Content and ids of the sandbox change with it. */
const seedVersion = 2
/** When the sandbox was seeded, to whoever looks at it. */
const seededAt = Date.UTC(2026, 10, 2, 9)
/** The random part of an id. */
const idBytes = 10
const drainMs = 5_000

/** The sandbox's organization, which is the same in every deployment. */
export const sandboxTenantId: string = newId('ten', seededAt, seededIds(nodeRandom()))

/** What guests of the sandbox look at. */
export interface Sandbox {
  /** Seeded when it is first asked for. */
  service(): Promise<Service>
  /** Removes its files. */
  close(): Promise<void>
}

/** What the sandbox takes from the server that shows it. */
export interface SandboxOptions {
  readonly ingestUrl: string
  readonly portalUrl: string
  readonly renderer: NonNullable<ServicePorts['renderer']>
}

/**
 * A service of its own, on a store of its own that lives as long as the process. Once it is seeded its clock stands
 * still and its dispatcher and runner have ended, so that nothing in it falls due or is sent (decision 92).
 */
export function openSandbox(options: SandboxOptions): Sandbox {
  let opened: Promise<Opened> | null = null
  return {
    service: async () => {
      opened ??= open(options).catch((error: Error) => {
        // The next guest tries again.
        opened = null
        throw error
      })
      return (await opened).service
    },
    close: async () => {
      const left = await opened?.catch(() => null)
      await left?.close()
    },
  }
}

interface Opened {
  readonly service: Service
  close(): Promise<void>
}

async function open({ ingestUrl, portalUrl, renderer }: SandboxOptions): Promise<Opened> {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-sandbox-'))
  const store = openSqliteStore({ file: join(directory, 'sandbox.sqlite'), collections, logs })
  const close = async () => {
    await store.close()
    rmSync(directory, { recursive: true, force: true })
  }
  const clock = steppedClock(seededAt)
  // What the service draws for itself must not move the ids.
  let random = nodeRandom()
  const service = createService({
    ports: {
      ...{ store, clock, renderer, archives: zipArchives, pause: nodePause },
      random: { bytes: (count) => random.bytes(count) },
      primitives: nativePrimitives,
      cipher: nativeCipher(),
      blobs: fileBlobs({ directory: join(directory, 'blobs') }),
      sealer: sealer({ masterKey: randomBytes(32), previousKeys: [] }),
      tokens: sessionTokens({ secret: randomBytes(32), issuer: portalUrl }),
      // Its members have no password.
      passwords: { hash: async () => '', verify: async () => false },
      egress: { check: async () => ({ ok: true }) },
      transport: {
        post: async () => ({
          ...{ kind: 'error', error: 'connect', latencyMs: 0 },
          detail: 'the sandbox sends nothing',
        }),
      },
    },
    ingestUrl,
    portalUrl,
  })
  random = seededIds(nodeRandom())
  try {
    const tenantId = await seedSandbox(service, clock)
    if (tenantId !== sandboxTenantId)
      throw new Error(`expected the sandbox to have the id ${sandboxTenantId}, got ${tenantId}`)
    return { service, close }
  } catch (error) {
    await service.drain(drainMs)
    await close()
    throw error
  }
}

/** Ids follow from the version of the seed; keys and nonces come from `random`. */
function seededIds(random: Random): Random {
  let drawn = 0
  return {
    bytes: (count) =>
      count === idBytes
        ? createHash('sha256')
            .update(`countersign sandbox ${seedVersion} ${drawn++}`)
            .digest()
            .subarray(0, idBytes)
        : random.bytes(count),
  }
}
