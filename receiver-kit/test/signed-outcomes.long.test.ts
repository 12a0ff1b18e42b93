import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createSuiteReviewers, runOutcomeSuite } from '@countersign/conformance/outcome'
import { httpProbe, textReport } from '@countersign/conformance/receiver'
import { formatSharedSecret } from '@countersign/core/signing'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const { findRuntime } = await import(pathToFileURL(join(root, '.ci/runtimes.mjs')).href)

const secret = formatSharedSecret(new Uint8Array(32).fill(1))
const applicationId = 'app_01m3xq8v7c0h2k4n6p8r0t2w4y'
const reviewers = createSuiteReviewers()
const name = 'outcome.unsigned-approval'

/** Two handlers of the kit, of which one asks for reviewers' signatures, and a probe of each. */
const endpoint = `
import { createOutcomeCallbackHandler, isApproved, memoryInbox } from '@countersign/receiver-kit'
import { createSignedOutcomeHandler } from '@countersign/receiver-kit/reviewers'

const { asked, ...pinned } = ${JSON.stringify(reviewers.pinned)}
const makers = {
  checking: (given, act) => createSignedOutcomeHandler({
    ...given,
    reviewers: {
      ...pinned,
      expected: async ({ checkpointId }) => ({
        ...asked, tenantId: 'ten_conformance', applicationId: given.applicationId, checkpointId,
      }),
    },
    onOutcome: ({ approved, outcome }) => { if (approved) act(outcome.id) },
  }),
  trusting: (given, act) => createOutcomeCallbackHandler({
    ...given,
    onOutcome: ({ outcome }) => { if (isApproved(outcome)) act(outcome.id) },
  }),
}

// At the first request: a worker may ask for no random bytes before it.
const made = new Map()
function endpointOf(name) {
  if (!made.has(name)) {
    const inbox = memoryInbox()
    const acted = new Set()
    const given = { keys: [${JSON.stringify(secret)}], applicationId: ${JSON.stringify(applicationId)}, inbox }
    made.set(name, { inbox, acted, handler: makers[name](given, (id) => void acted.add(id)) })
  }
  return made.get(name)
}

async function read({ inbox, acted }, ids) {
  const has = await inbox.has(ids)
  return {
    stored: ids.flatMap((id, at) => (has[at] ? [{ id }] : [])),
    effects: ids.flatMap((id) => (acted.has(id) ? [{ id, count: 1 }] : [])),
  }
}

export async function handle(request) {
  const { pathname, searchParams } = new URL(request.url)
  const [, name, part] = pathname.split('/')
  const one = endpointOf(name)
  if (part === 'probe')
    return Response.json(await read(one, searchParams.get('ids')?.split(',').filter(Boolean) ?? []))
  const answer = await one.handler.fetch(request)
  await one.handler.drain()
  return answer
}
`

interface Runtime {
  readonly name: string
  readonly found: { readonly program: string } | { readonly missing: string }
  /** The module that serves `handle` of bundle.mjs, and tells its port in a line of JSON. */
  readonly host: string
  arguments(folder: string): readonly string[]
}

const runtimes: readonly Runtime[] = [
  {
    name: 'Node',
    found: { program: process.execPath },
    host: `import { createServer } from 'node:http'
import { Readable } from 'node:stream'
const server = createServer(async (incoming, response) => {
  const { method, url, headers } = incoming
  const body = method === 'POST' ? Readable.toWeb(incoming) : undefined
  const request = new Request('http://127.0.0.1' + url, { method, headers, body, duplex: 'half' })
  const answer = await handle(request)
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.end(Buffer.from(await answer.arrayBuffer()))
})
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })))`,
    arguments: (folder) => [join(folder, 'host.mjs')],
  },
  {
    name: 'Bun',
    found: findRuntime('Bun'),
    host: `const { port } = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: handle })
console.log(JSON.stringify({ port }))`,
    arguments: (folder) => ['run', join(folder, 'host.mjs')],
  },
  {
    name: 'Deno',
    found: findRuntime('Deno'),
    host: `const onListen = ({ port }) => console.log(JSON.stringify({ port }))
Deno.serve({ port: 0, hostname: '127.0.0.1', onListen }, handle)`,
    arguments: (folder) => [
      ...['run', '--no-prompt', '--no-config', '--allow-net=127.0.0.1'],
      join(folder, 'host.mjs'),
    ],
  },
  {
    name: 'workerd',
    found: findRuntime('workerd'),
    host: 'export default { fetch: handle }',
    arguments: (folder) => ['serve', '--control-fd=1', join(folder, 'worker.capnp')],
  },
]

const worker = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [
      (name = "host.mjs", esModule = embed "host.mjs"),
      (name = "bundle.mjs", esModule = embed "bundle.mjs"),
    ],
    compatibilityDate = "2025-01-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`

/** The port that a child tells in its first line that has one. */
async function portOf(child: ChildProcess & { readonly stdout: Readable }): Promise<number> {
  for await (const line of createInterface(child.stdout)) {
    const port = /"port":\s*(\d+)/.exec(line)?.[1]
    if (port !== undefined) return Number(port)
  }
  throw new Error(`it ended with ${child.exitCode ?? child.signalCode} and told no port`)
}

describe('handlers of the kit, in each runtime', () => {
  let folder: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-outcomes-'))
    await build({
      stdin: { contents: endpoint, resolveDir: join(root, 'receiver-kit') },
      bundle: true,
      format: 'esm',
      platform: 'neutral',
      mainFields: ['module', 'main'],
      outfile: join(folder, 'bundle.mjs'),
      logLevel: 'silent',
    })
    writeFileSync(join(folder, 'worker.capnp'), worker)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  for (const { name: runtime, found, host, arguments: argumentsOf } of runtimes)
    it(
      `pass under ${runtime} where they ask for signatures, and fail where they do not`,
      'missing' in found ? { skip: found.missing } : {},
      async () => {
        assert.ok('program' in found)
        writeFileSync(join(folder, 'host.mjs'), `import { handle } from './bundle.mjs'\n${host}\n`)
        const child = spawn(found.program, argumentsOf(folder), {
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        try {
          const url = `http://127.0.0.1:${await portOf(child)}`
          const failedBy = async (kind: string) => {
            const report = await runOutcomeSuite({
              ...{ keys: [secret], applicationId, reviewers, runs: 5, deadlineMs: 5_000 },
              only: ['outcome'],
              ...{ url: `${url}/${kind}`, probe: await httpProbe(`${url}/${kind}/probe`) },
            })
            const failed = report.properties.filter(({ verdict }) => verdict === 'failed')
            assert.ok(report.notJudged === 0 && report.histories > 10, textReport(report))
            return failed.map((one) => one.name)
          }
          assert.deepEqual(await failedBy('checking'), [])
          assert.deepEqual(await failedBy('trusting'), [name])
        } finally {
          child.kill('SIGKILL')
          if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
        }
      },
    )
})
