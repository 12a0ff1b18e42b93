import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { packedProject, run } from './packed-project.ts'
import { blocks, readReadme, root } from './readme-blocks.ts'
import { openWorld, type World } from './reviewed/index.ts'

const packages = ['core', 'adapters/client', 'adapters/agents', 'adapters/mcp']

/** A framework's own mock model, which calls `transfer` twice; what the README's program is started with, and what it heard. */
const mains: Readonly<Record<string, string>> = {
  'ai-sdk': `
import { MockLanguageModelV4 } from 'ai/test'
const usage = { inputTokens: { total: 1, noCache: 1 }, outputTokens: { total: 1, text: 1 } }
const doGenerate = async ({ prompt }) => prompt.some(({ role }) => role === 'tool')
  ? { content: [{ type: 'text', text: 'done' }], finishReason: { unified: 'stop' }, usage, warnings: [] }
  : { content: inputs.map((input, nth) => ({ type: 'tool-call', toolCallId: 'c' + nth, toolName: 'transfer', input: JSON.stringify(input) })),
      finishReason: { unified: 'tool-calls' }, usage, warnings: [] }
const messages = [{ role: 'user', content: 'Pay.' }]
await converse(new MockLanguageModelV4({ doGenerate }), session, messages, async () => {})
tell(messages)`,
  langchain: `
import { AIMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { MemorySaver } from '@langchain/langgraph'
const model = fakeModel()
  .respondWithTools(inputs.map((args, nth) => ({ name: 'transfer', args, id: 'c' + nth })))
  .respond(new AIMessage('done'))
const saver = new MemorySaver()
await converse(model, saver, session, 'Pay.')
tell((await saver.getTuple({ configurable: { thread_id: session } })).checkpoint)`,
  langgraph: `
import { MemorySaver } from '@langchain/langgraph'
const saver = new MemorySaver()
const heard = inputs.map(({ amount }, nth) => payment(saver, session + nth, amount))
tell(await Promise.all(heard))`,
  openai: `
import { setTracingDisabled } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
setTracingDisabled(true)
const calls = inputs.map((input, nth) => functionCall('transfer', input, { callId: 'c' + nth }))
const model = new ScriptedModel([calls, [assistantMessage('done')]])
let state = ''
await converse(model, session, { prompt: 'Pay.', saved: null }, async (text) => { state = text })
tell(state)`,
}

/** The README's block whose code is that file of the examples. */
function programOf(name: string): string {
  const source = readFileSync(join(root, `adapters/agents/examples/${name}.ts`), 'utf8')
  const block = blocks.find(({ code }) => code === source)
  if (!block) throw new Error(`the README has no program like examples/${name}.ts`)
  return block.code
}

describe('projects of agents, made of tarballs by the READMEs alone', () => {
  const { project, installAll, end } = packedProject()
  let world: World
  before(async () => {
    installAll(packages)
    writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }))
    for (const name of Object.keys(mains))
      writeFileSync(join(project, `${name}.ts`), programOf(name))
    const compilerOptions = {
      strict: true,
      skipLibCheck: true,
      target: 'es2023',
      lib: ['es2023', 'dom', 'dom.iterable'],
      types: ['node'],
      module: 'nodenext',
    }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'], project)
    world = await openWorld()
  })
  after(() => {
    world.end()
    end()
  })

  /** What the READMEs ask for. */
  const environment = () => ({
    PATH: process.env.PATH ?? '',
    COUNTERSIGN_INGEST_URL: world.told.ingestUrl,
    SERVICE_API_KEY: world.told.apiKey,
  })

  /** What a process of the project answers to its input. */
  async function played(command: readonly string[], input = ''): Promise<string> {
    const [program = '', ...args] = command
    const child = spawn(program, args, {
      cwd: project,
      env: environment(),
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    child.stdin.end(input)
    const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    assert.equal(code, 0)
    return out
  }

  for (const [name, main] of Object.entries(mains))
    it(`${name}: makes the call that was approved, and hears why the other was not`, async () => {
      const inputs = [
        { to: 'ACME', amount: 5 },
        { to: 'ACME', amount: 7 },
      ]
      const session = `packed-${name}`
      const act = name === 'langgraph' ? 'payment' : 'converse'
      const given = `
import { writeFileSync } from 'node:fs'
import { ${act} } from './${name}.js'
const inputs = ${JSON.stringify(inputs)}
const session = '${session}'
const tell = (heard) => { writeFileSync('${name}.heard', JSON.stringify(heard)); process.exit(0) }
`
      writeFileSync(join(project, `${name}-main.js`), `${given}${main}\n`)
      const reviewers = ['', '0', '1'].map((more) =>
        world.review(`${session}${more}`, ({ arguments: { amount } }) => ({
          decision: amount === 5 ? 'approved' : 'rejected',
        })),
      )
      await played([process.execPath, `${name}-main.js`])
      await Promise.all(reviewers.map(({ stop }) => stop()))
      const heard = readFileSync(join(project, `${name}.heard`), 'utf8')
      assert.match(heard, /paid 5/)
      assert.doesNotMatch(heard, /paid 7/)
      assert.match(heard, /Rejected by a reviewer/)
    })

  it("claude: the README's hook denies a call until it is approved, and allows it once", async () => {
    const [, program = ''] =
      /^exec (\/.*countersign-hook)$/m.exec(readReadme('adapters/agents')) ?? []
    assert.match(
      program,
      /--env-file=\/etc\/countersign\/hook\.env \/opt\/countersign\/node_modules/,
    )
    // The project stands for both folders of the machine, and this Node for the one of its system.
    const command = program
      .replaceAll(/\/(opt|etc)\/countersign/g, project)
      .replace('/usr/bin/node', process.execPath)
    const { ingestUrl, apiKey } = world.told
    writeFileSync(join(project, 'ca.crt'), '')
    writeFileSync(
      join(project, 'hook.env'),
      `COUNTERSIGN_INGEST_URL=${ingestUrl}\nSERVICE_API_KEY=${apiKey}\n`,
    )
    const call = { session_id: 'packed-hook', tool_use_id: 't', tool_name: 'Bash', tool_input: {} }
    const made = async () => {
      const out = await played(['sh', '-c', command], JSON.stringify(call))
      return JSON.parse(out).hookSpecificOutput
    }
    const asked = await made()
    assert.equal(asked.permissionDecision, 'deny')
    assert.match(asked.permissionDecisionReason, /same call again later/)
    await world.decide('packed-hook', 'approved')
    assert.equal((await made()).permissionDecision, 'allow')
    assert.equal((await made()).permissionDecision, 'deny')
  })

  it("mcp: the README's gateway stands before a server from npm", async () => {
    const [, command = ''] =
      /^(node_modules\/\.bin\/countersign-mcp gateway .*) -- /m.exec(readReadme('adapters/mcp')) ??
      []
    const server = createRequire(import.meta.url).resolve(
      '@modelcontextprotocol/server-filesystem/package.json',
    )
    const files = `${process.execPath} ${join(dirname(server), 'dist/index.js')} ${project}`
    const clientInfo = { name: 'test', version: '1.0.0' }
    const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
    const call = (name: string, input: object) => ({ name, arguments: input })
    const file = join(project, 'new.txt')
    const requests = [
      { id: 1, method: 'initialize', params: initialize },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: call('list_directory', { path: project }) },
      { id: 3, method: 'tools/call', params: call('write_file', { path: file, content: 'x' }) },
    ]
    const lines = requests.map((request) => JSON.stringify({ jsonrpc: '2.0', ...request }))
    const gateway = spawn('sh', ['-c', `exec ${command} --wait 2 -- ${files}`], {
      cwd: project,
      env: environment(),
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    gateway.stdin.write(`${lines.join('\n')}\n`)
    const answers = new Map<number, string>()
    for await (const line of createInterface({ input: gateway.stdout })) {
      const { id, result } = JSON.parse(line)
      answers.set(id, JSON.stringify(result))
      if (answers.has(2) && answers.has(3)) gateway.stdin.end()
    }
    assert.match(answers.get(2) ?? '', /package\.json/)
    assert.match(answers.get(3) ?? '', /same call again later/)
    const [asked] = await world.casesOf('desk-7')
    assert.deepEqual(asked?.presentation, {
      action: { tool: 'write_file', arguments: { path: file, content: 'x' } },
      summary: 'By the MCP server files.',
    })
  })
})
