import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { collections, createService, logs } from '@countersign/core'
import { list, many } from '@countersign/core/ledger'
import type { Collection, Store } from '@countersign/core/ports'
import {
  answered,
  createManualClock,
  plainPasswords,
  scriptedEgress,
  scriptedTransport,
} from '@countersign/core/testing'
import {
  fileBlobs,
  nativeCipher,
  nativePrimitives,
  nodeRandom,
  sealer,
  sessionTokens,
} from '@countersign/node'
import { openSqliteStore } from '@countersign/sqlite'
import { type KillPoint, mortalPorts } from './mortal-ports.ts'

export const start: number = Date.UTC(2026, 10, 21, 9, 0, 0)
const masterKey = new Uint8Array(32).fill(7)

/** What is wrong with a store. */
export type Faulty = (store: Store) => Store

/** A process over the files of a directory, which dies at a point. */
export function processOn(
  directory: string,
  now: number,
  point: KillPoint,
  faulty: Faulty = (store) => store,
) {
  const clock = createManualClock(now, {
    settle: () => new Promise((resolve) => setTimeout(resolve, 1)),
  })
  const store = openSqliteStore({ file: join(directory, 'store.db'), collections, logs })
  const mortal = mortalPorts(
    { store: faulty(store), blobs: fileBlobs({ directory: join(directory, 'blobs') }) },
    point,
  )
  const service = createService({
    ports: {
      clock,
      store: mortal.store,
      blobs: mortal.blobs,
      random: nodeRandom(),
      primitives: nativePrimitives,
      transport: scriptedTransport(() => answered(200)),
      egress: scriptedEgress(() => null),
      sealer: sealer({ masterKey }),
      cipher: nativeCipher(),
      passwords: plainPasswords(),
      tokens: sessionTokens({ secret: masterKey, issuer: 'https://portal.example' }),
    },
    ingestUrl: 'https://ingest.example',
  })
  const rows = async <R extends object>(collection: Collection<R>) => {
    const [found] = await store.read(null, [list(collection, { where: [], take: 1_000 })])
    return many(collection, found).map(({ row }) => row)
  }
  async function end(): Promise<void> {
    // A dead one never comes to an end by itself.
    await Promise.race([service.drain(0), mortal.dead])
    await store.close()
  }
  return { clock, service, mortal, rows, end }
}

export type Process = ReturnType<typeof processOn>

/** In memory where there is such a place: these tests look at what is kept and not at what a sync costs. */
export function newDirectory(): string {
  const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  return mkdtempSync(join(place, 'killed-erasure-'))
}

/** The files below a directory in which these bytes stand. */
export function filesWith(directory: string, bytes: Buffer): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes(bytes))
}
