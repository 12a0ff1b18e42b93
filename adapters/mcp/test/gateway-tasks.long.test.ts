import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { openWorld, type World } from '@countersign/reference-server/reviewed'
import { isCreateTaskResultV2, isDetailedTaskV2 } from '@modelcontextprotocol/ext-tasks/core/v2'
import { declared, main, manifest } from './programs.ts'

/** What the server sends of an answer. */
interface RpcAnswer {
  readonly result?: unknown
  readonly error?: unknown
}

/** Whether an answer is the result of a tool. */
const hasContent = ({ result }: RpcAnswer) =>
  typeof result === 'object' && result !== null && 'content' in result

/** A client's end of a gateway: requests by their answers. */
interface Line {
  readonly gateway: ChildProcess
  ask(method: string, params: object): Promise<RpcAnswer>
}

describe('the gateway, for clients of tasks', () => {
  let world: World
  let directory: string
  const gateways: ChildProcess[] = []
  before(async () => {
    world = await openWorld()
    directory = mkdtempSync(join(tmpdir(), 'gateway-'))
  })
  after(() => {
    for (const gateway of gateways) gateway.kill('SIGKILL')
    world.end()
    rmSync(directory, { recursive: true, force: true })
  })

  async function open(session: string, secret?: string, name = 'files'): Promise<Line> {
    const named = ['gateway', '--server', name, '--session', session]
    const given = [...named, '--wait', '20', '--run', 'list_*', '--']
    const server = [process.execPath, join(dirname(manifest), 'dist/index.js'), directory]
    const gateway = spawn(process.execPath, [main, ...given, ...server], {
      env: {
        COUNTERSIGN_INGEST_URL: world.told.ingestUrl,
        SERVICE_API_KEY: world.told.apiKey,
        ...(secret && { COUNTERSIGN_TASK_SECRET: secret }),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    gateways.push(gateway)
    const waiting = new Map<unknown, (answer: RpcAnswer) => void>()
    createInterface({ input: gateway.stdout }).on('line', (text) => {
      const { id, ...answer } = JSON.parse(text)
      waiting.get(id)?.(answer)
    })
    let count = 0
    const ask: Line['ask'] = (method, params) => {
      const id = ++count
      const answer = new Promise<RpcAnswer>((resolve) => waiting.set(id, resolve))
      gateway.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
      return answer
    }
    await ask('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1.0.0' },
    })
    gateway.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    return { gateway, ask }
  }

  async function called({ ask }: Line, name: string, input: object): Promise<string> {
    const { result } = await ask('tools/call', { name, arguments: input, _meta: declared })
    assert.ok(isCreateTaskResultV2(result), JSON.stringify(result))
    return result.taskId
  }

  async function told({ ask }: Line, taskId: string) {
    const { result, error } = await ask('tasks/get', { taskId, _meta: declared })
    assert.ok(isDetailedTaskV2(result), JSON.stringify({ result, error }))
    return result
  }

  it('a call that is held back is a task, which any gateway with the secret goes on with, once', async () => {
    const secret = 'a secret of at least 32 characters'
    const first = await open('g-1', secret)
    const file = join(directory, 'one.txt')
    const taskId = await called(first, 'write_file', { path: file, content: 'written' })
    assert.equal((await told(first, taskId)).status, 'working')
    const ended = once(first.gateway, 'exit')
    first.gateway.kill('SIGKILL')
    await ended
    await world.decide('g-1', 'approved')
    assert.equal(existsSync(file), false)

    const second = await open('g-1', secret)
    const done = await told(second, taskId)
    assert.ok(done.status === 'completed' && done.result.isError !== true, JSON.stringify(done))
    assert.equal(readFileSync(file, 'utf8'), 'written')
    rmSync(file)
    const again = await told(second, taskId)
    assert.ok(again.status === 'completed')
    assert.deepEqual(again.result, done.result)
    assert.equal(existsSync(file), false)
    const stranger = await open('g-1')
    assert.ok((await stranger.ask('tasks/get', { taskId, _meta: declared })).error)
  })

  it('an approval is good before the server that people saw, and before no other of the session', async () => {
    const secret = 'a secret of at least 32 characters'
    const [one, other] = [await open('g-4', secret), await open('g-4', secret, 'archive')]
    const file = join(directory, 'four.txt')
    const input = { path: file, content: 'x' }
    const taskId = await called(one, 'write_file', input)
    await world.decide('g-4', 'approved')
    assert.ok((await other.ask('tasks/get', { taskId, _meta: declared })).error)
    const another = await called(other, 'write_file', input)
    assert.equal((await told(other, another)).status, 'working')
    assert.equal(existsSync(file), false)
    const shown = await world.casesOf('g-4')
    assert.equal(shown.length, 2)
    assert.deepEqual(
      new Set(shown.map(({ presentation }) => (presentation as { summary?: unknown }).summary)),
      new Set(['By the MCP server archive.', 'By the MCP server files.']),
    )
    assert.equal((await told(one, taskId)).status, 'completed')
    assert.ok(existsSync(file))
  })

  it('tells what people asked and refused, and lets the rest pass', async () => {
    const line = await open('g-2')
    const file = join(directory, 'two.txt')
    const taskId = await called(line, 'write_file', { path: file, content: 'x' })
    await world.question('g-2', 'Why?')
    assert.equal((await told(line, taskId)).status, 'input_required')
    const inputResponses = { answer: { action: 'accept', content: { answer: 'A test.' } } }
    await line.ask('tasks/update', { taskId, inputResponses, _meta: declared })
    assert.equal((await told(line, taskId)).status, 'working')
    await world.decide('g-2', 'rejected')
    const task = await told(line, taskId)
    assert.ok(task.status === 'completed')
    assert.match(JSON.stringify(task.result), /Rejected by a reviewer/)
    const withdrawn = await called(line, 'create_directory', { path: join(directory, 'new') })
    await line.ask('tasks/cancel', { taskId: withdrawn, _meta: declared })
    assert.equal((await told(line, withdrawn)).status, 'cancelled')
    // Of the server, which knows no tasks; and of a tool that runs unasked.
    assert.ok((await line.ask('tasks/get', { taskId: 'its-own', _meta: declared })).error)
    const listed = await line.ask('tools/call', {
      name: 'list_directory',
      arguments: { path: directory },
      _meta: declared,
    })
    assert.ok(hasContent(listed))
    assert.equal(existsSync(file), false)
  })

  it('gives a client without tasks its answer in place', async () => {
    const line = await open('g-3')
    const file = join(directory, 'three.txt')
    const asked = { name: 'write_file', arguments: { path: file, content: 'x' } }
    const waiting = line.ask('tools/call', asked)
    await world.decide('g-3', 'approved')
    assert.ok(hasContent(await waiting))
    assert.ok(existsSync(file))
  })
})
