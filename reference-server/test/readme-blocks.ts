import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../../', import.meta.url))
// The receiver kit's own test compiles and runs the blocks of its README.
export const places = [
  '',
  'core',
  'adapters/node',
  'adapters/sqlite',
  'adapters/postgres',
  'adapters/koa',
  'adapters/client',
  'adapters/agents',
  'adapters/mcp',
  'adapters/documents',
  'adapters/portal',
  'conformance',
]
/** Whose blocks import frameworks of agents, which don't declare their own types as strictly as these compile. */
export const frameworks: readonly string[] = ['adapters/agents', 'adapters/mcp']

/** What compiles the blocks in a folder: the strict ones, and those of frameworks without a look into libraries. */
export function projectsOf(compilerOptions: object) {
  const prefixes = frameworks.map((place) => place.replace('/', '-'))
  const named = blocks.map(({ name }) => `${name}.ts`)
  const loose = named.filter((name) => prefixes.some((prefix) => name.startsWith(prefix)))
  const include = ['given.d.ts', ...loose]
  return {
    strict: { compilerOptions, include: ['*.ts'], exclude: ['out', 'node_modules', ...loose] },
    loose: { compilerOptions: { ...compilerOptions, skipLibCheck: true }, include },
  }
}

export const chapters = ['# For users', '# For those who change it'] as const

/** What a reader has before they paste: their secrets, their ids, and what an earlier block made. */
export const given = `
import type { ApplicationActor, OpenCase, Service, ServicePorts } from '@countersign/core'
import type { Clock, Observer, Random } from '@countersign/core/ports'
import type { portalRouter } from '@countersign/koa'
declare global {
  const masterKey: Uint8Array
  const sessionSecret: Uint8Array
  const application: ApplicationActor
  const sessionId: string
  const checkpointId: string
  const presentation: OpenCase['presentation']
  const idempotencyKey: string
  const ports: ServicePorts
  const service: Service
  const clock: Clock
  const observer: Observer
  const random: Random
  const options: Parameters<typeof portalRouter>[0]
  const ingestUrl: string
  const apiKey: string
  const pay: () => Promise<void>
  const password: string
  const secret: string
  const evidence: unknown
  const request: Request
  const place: HTMLElement
  const file: File
  const keyFile: File
}
`
/** Declarations of the modules that the blocks take for the reader's own, by file name. */
export const ownModules: Readonly<Record<string, string>> = {
  'my-store.d.ts': `
import type { Collection, Log, Store } from '@countersign/core/ports'
export declare function openMyStore(declared: {
  readonly collections: readonly Collection<never>[]
  readonly logs: readonly Log[]
}): Promise<Store>
`,
  'my-inbox.d.ts': `
import type { Inbox } from '@countersign/core/ports'
export declare function openMyInbox(): Promise<Inbox>
`,
  'my-blobs.d.ts': `
import type { BlobStore } from '@countersign/core/ports'
export declare function openMyBlobs(): Promise<BlobStore>
`,
  'my-ledger.d.ts': `
import type { AnchorLedger } from '@countersign/core/ports'
export declare function openMyLedger(): Promise<AnchorLedger>
`,
  'my-authority.d.ts': `
import type { TimeStampAuthority } from '@countersign/core/ports'
export declare function myAuthority(): TimeStampAuthority
export declare function outOfReach(): TimeStampAuthority
`,
}

/** Makes, on the same file and through the same use cases, the application that the block opens a case for. */
export const organization = `
import { collections, createService, logs, unwrap } from '@countersign/core'
import { fileBlobs, nodePorts } from '@countersign/node'
import { openSqliteStore } from '@countersign/sqlite'

const masterKey = Buffer.from('${randomBytes(32).toString('hex')}', 'hex')
const sessionSecret = Buffer.from('${randomBytes(32).toString('hex')}', 'hex')
const store = openSqliteStore({ file: 'countersign.sqlite', collections, logs })
const blobs = fileBlobs({ directory: 'countersign.blobs' })
const service = createService({
  ingestUrl: 'https://ingest.example.com',
  ports: nodePorts({ store, blobs, masterKey, sessionSecret, portalUrl: 'https://portal.example.com' }),
})
const { tenant, admin } = unwrap(await service.tenants.create(
  { kind: 'system' },
  { name: 'Acme', admin: { name: 'Ada', email: 'ada@acme.example', password: 'correct horse battery' } },
))
const ada = { kind: 'member', tenantId: tenant.tenantId, ...admin }
const { applicationId } = unwrap(await service.applications.create(ada, { name: 'Assistant' }))
const key = unwrap(await service.applicationKeys.create(ada, { applicationId, label: 'first' }))
const application = unwrap(await service.access.authenticateApplication(key.value))
await service.close()
Object.assign(globalThis, {
  masterKey, sessionSecret, application,
  sessionId: 's-1', checkpointId: 'c-1', presentation: { text: 'Pay 100 EUR' }, idempotencyKey: 'k-1',
})
`

/** Serves the ingest host on that file, with a reviewer who approves what is asked. */
export const approver = `${organization.replace('await service.close()\n', '')}
import { createServer } from 'node:http'
import { createApp, ingestRouter } from '@countersign/koa'

const { clock, random } = nodePorts({ store, blobs, masterKey, sessionSecret, portalUrl: 'https://portal.example.com' })
const observer = { event: () => {} }
const window = { hit: () => ({ allowed: true, remaining: 1, resetAt: 0 }), charge: () => {} }
const router = ingestRouter({ service, clock, observer, rateLimit: { window, perMinute: 600 } })
const server = createServer(createApp(router, { random, observer }).callback())
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const approve = async () => {
  const { pieces } = unwrap(await service.reviewCases.list(ada, { state: 'open', page: 1, pageSize: 10 }))
  for await (const rows of pieces)
    for (const { reviewCaseId } of rows) {
      const { caseVersion, presentationDigest } = unwrap(await service.reviewCases.claim(ada, { reviewCaseId }))
      const decision = { reviewCaseId, caseVersion, presentationDigest, decision: 'approved' }
      unwrap(await service.reviewCases.decide(ada, decision))
    }
}
// Behind each answer, one look after the other: two at a time would claim the same case.
let looks = Promise.resolve()
server.on('request', (_, answer) => answer.once('finish', () => { looks = looks.then(approve) }))
const ingestUrl = 'http://127.0.0.1:' + server.address().port
Object.assign(globalThis, { ingestUrl, apiKey: key.value, pay: async () => console.log('paid') })
`

export interface Block {
  readonly name: string
  readonly code: string
}

/** Documents beside the READMEs that have code. */
const documents = ['core/docs/presentation.md']

export const blocks: readonly Block[] = [
  ...places.flatMap((place) => {
    // The chapter after the users' shows parts of the inside.
    const [readme = ''] = readReadme(place).split(`\n${chapters[1]}\n`)
    return blocksOf(readme, place || 'root')
  }),
  ...documents.flatMap((file) => blocksOf(readFileSync(join(root, file), 'utf8'), file)),
]

function blocksOf(text: string, from: string): readonly Block[] {
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ''], at) => ({
    name: `${from.replace(/\W/g, '-')}-${at + 1}`,
    code,
  }))
}

/** The block of the root README that names this. */
export function rootBlock(names: string): Block {
  const block = blocks.find(({ name, code }) => name.startsWith('root') && code.includes(names))
  if (!block) throw new Error(`the root README has no block with ${names}`)
  return block
}

export function readReadme(place: string): string {
  return readFileSync(join(root, place, 'README.md'), 'utf8')
}
