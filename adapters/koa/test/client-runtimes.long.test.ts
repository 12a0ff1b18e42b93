import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type { ClientCall, Outcome } from './client-call.ts'
import { callRow, clientRows, type Make } from './client-rows.ts'
import { keyOf } from './requests.ts'
import { newCase, openWorld, value } from './world.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const tools = await import(pathToFileURL(join(root, '.ci/runtimes.mjs')).href)
type Found = { readonly program: string } | { readonly missing: string }
const findRuntime: (name: string) => Found = tools.findRuntime

/** A runtime that serves `answerCall`: how it is started in the folder of the bundle, and how it tells its port. */
interface Runtime {
  readonly name: string
  readonly arguments: readonly string[]
  readonly stdio: ('ignore' | 'pipe' | 'inherit')[]
  portOf(child: ChildProcess): Readable | null
}

const onStdout = {
  stdio: ['ignore', 'pipe', 'inherit'] as Runtime['stdio'],
  portOf: (child: ChildProcess) => child.stdout,
}

const runtimes: readonly Runtime[] = [
  { name: 'Bun', arguments: ['run', 'bun.mjs'], ...onStdout },
  // What the client needs of Deno is the way to its host.
  {
    name: 'Deno',
    arguments: ['run', '--no-prompt', '--no-config', '--allow-net=127.0.0.1', 'deno.mjs'],
    ...onStdout,
  },
  {
    name: 'workerd',
    arguments: ['serve', 'worker.capnp', '--control-fd=3'],
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    portOf: (child) => child.stdio[3] as Readable,
  },
]

async function writePrograms(folder: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL('./client-call.js', import.meta.url))],
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    outfile: join(folder, 'client-call.mjs'),
    logLevel: 'silent',
  })
  const files = {
    'bun.mjs': `import { answerCall } from './client-call.mjs'
const { port } = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answerCall })
console.log(JSON.stringify({ port }))`,
    'deno.mjs': `import { answerCall } from './client-call.mjs'
const onListen = ({ port }) => console.log(JSON.stringify({ port }))
Deno.serve({ hostname: '127.0.0.1', port: 0, onListen }, answerCall)`,
    'worker.mjs': `import { answerCall } from './client-call.mjs'
export default { fetch: answerCall }`,
    'worker.capnp': `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [
        (name = "worker.mjs", esModule = embed "worker.mjs"),
        (name = "client-call.mjs", esModule = embed "client-call.mjs"),
      ],
      compatibilityDate = "2025-01-01",
      globalOutbound = "loopback",
    )),
    (name = "loopback", network = (allow = ["local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
}

/** The port is the first that a line names. */
async function firstPort(lines: Readable): Promise<number> {
  for await (const line of createInterface({ input: lines })) {
    const { port } = JSON.parse(line) as { readonly port?: number }
    if (port !== undefined) return port
  }
  throw new Error('the runtime ended before it told its port')
}

for (const runtime of runtimes) {
  const found = findRuntime(runtime.name)
  describe(`the typed client under ${runtime.name}`, {
    ...('missing' in found && { skip: found.missing }),
  }, () => {
    let folder: string
    let child: ChildProcess
    let make: Make
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'countersign-client-'))
      await writePrograms(folder)
      const { program } = found as { readonly program: string }
      child = spawn(program, runtime.arguments, { cwd: folder, stdio: runtime.stdio })
      const lines = runtime.portOf(child)
      assert.ok(lines)
      const port = await firstPort(lines)
      make = async (call: ClientCall) => {
        const body = JSON.stringify(call)
        const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body })
        return (await answer.json()) as Outcome
      }
    })
    after(async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      }
      rmSync(folder, { recursive: true, force: true })
    })

    for (const row of clientRows)
      test(`calls ${keyOf(row)} of the real app`, () => callRow(row, (call) => make(call)))

    test('waits for a human', async () => {
      const world = await openWorld()
      try {
        const { home, reviewer, service } = world
        const input = newCase()
        const origin = `http://127.0.0.1:${world.ports.ingest}`
        const call = { host: 'ingest', origin, credential: home.app.key } as const
        const waiting = make({ ...call, group: 'reviewCases', act: 'request', input })
        const { reviewCaseId } = await world.opened(home.app, input)
        const { actor } = reviewer
        const seen = value(await service.reviewCases.claim(actor, { reviewCaseId }))
        const presentationDigest = seen.presentationDigest ?? ''
        const decision = { presentationDigest, decision: 'approved' } as const
        const version = { caseVersion: seen.caseVersion }
        value(await service.reviewCases.decide(actor, { reviewCaseId, ...version, ...decision }))
        const outcome = await waiting
        assert.equal(outcome.kind, 'answer')
        const { approved } = (outcome as { readonly answer: { readonly approved: boolean } }).answer
        assert.equal(approved, true)
      } finally {
        await world.close()
      }
    })
  })
}
