import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = join(root, 'reference-server/dist/test/readme')
// The receiver kit's own test compiles and runs the blocks of its README.
const places = ['', 'core', 'adapters/node', 'adapters/sqlite', 'adapters/koa', 'conformance']
const packages = [...places.slice(1), 'receiver-kit', 'reference-server']
const chapters = ['# For users', '# For those who change it'] as const

/** What a reader has before they paste: their secrets, their ids, and what an earlier block made. */
const given = `
import type { ApplicationActor, OpenCase, Service, ServicePorts } from '@countersign/core'
import type { Clock, Observer } from '@countersign/core/ports'
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
}
`
const ownStore = `
import type { Collection, Log, Store } from '@countersign/core/ports'
export declare function openMyStore(declared: {
  readonly collections: readonly Collection<never>[]
  readonly logs: readonly Log[]
}): Promise<Store>
`
const ownInbox = `
import type { Inbox } from '@countersign/core/ports'
export declare function openMyInbox(): Promise<Inbox>
`

/** Makes, on the same file and through the same use cases, the application that the block opens a case for. */
const organization = `
import { collections, createService, logs, unwrap } from '@countersign/core'
import { nodePorts } from '@countersign/node'
import { openSqliteStore } from '@countersign/sqlite'

const masterKey = Buffer.from('${randomBytes(32).toString('hex')}', 'hex')
const sessionSecret = Buffer.from('${randomBytes(32).toString('hex')}', 'hex')
const store = openSqliteStore({ file: 'countersign.sqlite', collections, logs })
const service = createService({
  ingestUrl: 'https://ingest.example.com',
  ports: nodePorts({ store, masterKey, sessionSecret, portalUrl: 'https://portal.example.com' }),
})
const { tenant, admin } = unwrap(await service.access.createTenant(
  { kind: 'system' },
  { name: 'Acme', admin: { name: 'Ada', email: 'ada@acme.example', password: 'correct horse battery' } },
))
const ada = { kind: 'member', tenantId: tenant.tenantId, ...admin }
const { applicationId } = unwrap(await service.applications.create(ada, { name: 'Assistant' }))
const key = unwrap(await service.access.createApplicationKey(ada, applicationId, { label: 'first' }))
const application = unwrap(await service.access.authenticateApplication(key.value))
await service.close()
Object.assign(globalThis, {
  masterKey, sessionSecret, application,
  sessionId: 's-1', checkpointId: 'c-1', presentation: { text: 'Pay 100 EUR' }, idempotencyKey: 'k-1',
})
`

interface Block {
  readonly name: string
  readonly code: string
}

const blocks = places.flatMap((place): readonly Block[] => {
  // The chapter after the users' shows parts of the inside.
  const [readme = ''] = readReadme(place).split(`\n${chapters[1]}\n`)
  return [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ''], at) => ({
    name: `${place.replace('/', '-') || 'root'}-${at + 1}`,
    code,
  }))
})

describe('the READMEs', () => {
  before(() => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    for (const { name, code } of blocks) writeFileSync(join(folder, `${name}.ts`), code)
    writeFileSync(join(folder, 'given.d.ts'), given)
    writeFileSync(join(folder, 'my-store.d.ts'), ownStore)
    writeFileSync(join(folder, 'my-inbox.d.ts'), ownInbox)
    const compilerOptions = {
      strict: true,
      target: 'es2023',
      lib: ['es2023'],
      module: 'nodenext',
      moduleDetection: 'force',
      types: ['node'],
      exactOptionalPropertyTypes: true,
      outDir: 'out',
      rootDir: '.',
    }
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['*.ts'] }),
    )
    const manifest = createRequire(import.meta.url).resolve('typescript/package.json')
    const tsc = join(dirname(manifest), 'bin/tsc')
    const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', folder], {
      encoding: 'utf8',
    })
    assert.equal(status, 0, stdout)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('have code in every one, which compiled', () => {
    for (const place of places)
      assert.ok(
        blocks.some(({ name }) => name.startsWith(place.replace('/', '-') || 'root')),
        place,
      )
  })

  it('show how to embed the service: a case is opened', () => {
    assert.equal(run('createService', organization, 'console.log(opened.state)'), 'open')
  })

  it('show how to receive: a server listens', () => {
    assert.equal(run('createReceiver', '', "console.log('listens')"), 'listens')
  })

  it('have two chapters, one for each kind of reader', () => {
    for (const place of packages) {
      const found = readReadme(place).match(/^# For .*$/gm)
      assert.deepEqual(found, [...chapters], place)
    }
  })

  it('link to what is there', () => {
    for (const place of ['', ...packages]) {
      const readme = readReadme(place)
      for (const [, target = ''] of readme.matchAll(/\]\((?!https?:)([^)#]+)/g))
        assert.ok(existsSync(join(root, place, target)), `${place || '.'}/README.md: ${target}`)
    }
  })
})

function readReadme(place: string): string {
  return readFileSync(join(root, place, 'README.md'), 'utf8')
}

/** Runs the root README's block that names this, in a process and a folder of its own; what it printed. */
function run(names: string, first: string, last: string): string {
  const block = blocks.find(({ name, code }) => name.startsWith('root') && code.includes(names))
  assert.ok(block, `the root README has no block with ${names}`)
  const code = readFileSync(join(folder, 'out', `${block.name}.js`), 'utf8')
  const home = join(folder, names)
  mkdirSync(home)
  writeFileSync(join(home, 'first.mjs'), first)
  // Any free port: 3000 may be another's.
  const played = code.replace('listen(3000)', 'listen(0)')
  writeFileSync(
    join(home, 'block.mjs'),
    `import './first.mjs'\n${played}\n${last}\nprocess.exit(0)`,
  )
  const ran = spawnSync(process.execPath, ['block.mjs'], { cwd: home, encoding: 'utf8' })
  assert.equal(ran.status, 0, ran.stderr)
  return ran.stdout.trim()
}
