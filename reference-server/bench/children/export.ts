import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import {
  collections,
  createService,
  logs,
  type MemberActor,
  type Service,
  type SubmittedSession,
} from '@countersign/core'
import { canonicalBytes } from '@countersign/core/evidence'
import { leafHash, merkleTree } from '@countersign/core/internal'
import { newApplication, newOrganization, provisionKey } from '@countersign/core/testing'
import { createPdfRenderer, zipArchives } from '@countersign/documents'
import { fileBlobs, nodePorts } from '@countersign/node'
import { openSqliteStore } from '@countersign/sqlite'
import { serveParent } from '../child.ts'
import { granted } from '../service.ts'

/** What a bulk export is measured over. */
export interface Given {
  readonly directory: string
  readonly applications: number
  readonly sessionsPerApplication: number
}

/** What an export cost; memory is resident, of the whole process. */
export interface Exported {
  readonly sessions: number
  readonly archiveMb: number
  /** The most above what it was before, after an export of one application. */
  readonly growthMb: number
  readonly seconds: number
}

const stepsPerSession = 6
const pollMs = 50
const mb = 2 ** 20
const begun = Date.UTC(2026, 2, 14, 9, 30)
const iso = (ms: number) => new Date(ms).toISOString()

/** A session of about 12 KB of content. */
function sessionOf(sessionId: string): SubmittedSession {
  return {
    sessionId,
    startedAt: iso(begun),
    endedAt: iso(begun + stepsPerSession * 1_000),
    status: 'completed',
    dataSubjectId: `user of ${sessionId}`,
    steps: Array.from({ length: stepsPerSession }, (_, at) => ({
      stepId: `step-${at}`,
      type: 'llm',
      name: `step ${at}`,
      startedAt: iso(begun + at * 1_000),
      endedAt: iso(begun + at * 1_000 + 900),
      status: 'ok',
      input: { question: 'What is the weather in Berlin? '.repeat(34) },
      output: 'It is sunny. '.repeat(80),
    })),
  }
}

async function store(service: Service, admin: MemberActor, at: number, sessions: number) {
  const { tenantId } = admin
  const applicationId = await newApplication(service, admin, `app ${at}`)
  const { key } = await provisionKey(service, { tenantId, applicationId })
  const all = Array.from({ length: sessions }, (_, index) => sessionOf(`session-${at}-${index}`))
  const { root } = merkleTree(all.map((session) => leafHash(canonicalBytes(session))))
  const merkleRoot = Buffer.from(root).toString('hex')
  granted(await service.ingest.submit(key, { batchId: `batch-${at}`, merkleRoot, sessions: all }))
  return applicationId
}

/** Reads an export to its end, as fast as it comes, and looks at the memory meanwhile. */
async function exported(service: Service, admin: MemberActor, applicationIds: readonly string[]) {
  const before = process.memoryUsage().rss
  let most = before
  const poll = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, pollMs)
  const start = performance.now()
  const { pieces } = granted(await service.evidencePackages.exportBulk(admin, { applicationIds }))
  let bytes = 0
  for await (const piece of pieces) bytes += piece.length
  clearInterval(poll)
  return {
    archiveMb: bytes / mb,
    growthMb: (most - before) / mb,
    seconds: (performance.now() - start) / 1_000,
  }
}

await serveParent<Given>(async ({ directory, applications, sessionsPerApplication }) => {
  const secret = () => randomBytes(32)
  const service = createService({
    ingestUrl: 'https://ingest.example',
    ports: {
      ...nodePorts({
        store: openSqliteStore({ file: join(directory, 'store.db'), collections, logs }),
        blobs: fileBlobs({ directory: join(directory, 'blobs') }),
        masterKey: secret(),
        sessionSecret: secret(),
        portalUrl: 'https://portal.example',
      }),
      renderer: createPdfRenderer(),
      archives: zipArchives,
    },
  })
  const given = { name: 'Export', email: 'ada@export.example', plan: 'Team' } as const
  const { admin } = await newOrganization(service, given)
  const ids: string[] = []
  for (let at = 0; at < applications; at++)
    ids.push(await store(service, admin, at, sessionsPerApplication))
  // Until then memory grows for what the process keeps: fonts, compiled code, the printer's heap.
  await exported(service, admin, ids.slice(0, 1))
  return {
    ready: null,
    answer: async (): Promise<Exported> => ({
      sessions: applications * sessionsPerApplication,
      ...(await exported(service, admin, ids)),
    }),
  }
})
