import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  Agent,
  tool as functionTool,
  hostedMcpTool,
  Runner,
  RunState,
  shellTool,
  toolNamespace,
} from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import * as z from 'zod'
import { createReviews, type Reviews } from '../index.ts'
import { idsOfDetails, type RunOptions, resolveInterruptions } from '../openai.ts'
import { playedClient } from './played-client.ts'

const sessionId = 's'

/** Reviews whose reviewer approves each case as it is opened. */
function approving() {
  const { client, cases, decide } = playedClient()
  const reviews = createReviews(client, {
    tools: {},
    onOpen: ({ reviewCaseId, state }) => {
      if (state === 'open') decide(reviewCaseId, 'approved')
    },
  })
  return { reviews, cases }
}

type Item = ReturnType<typeof functionCall>

/**
 * Runs the calls that an agent makes in one turn, and its saved state again, as after a crash; what the model heard.
 */
async function runTwice(
  reviews: Reviews,
  made: Item | readonly Item[],
  tools: Agent['tools'],
  unguarded: readonly string[] = [],
  parameters: RunOptions['parameters'] = {},
): Promise<readonly string[]> {
  const model = new ScriptedModel([
    [made].flat() as Item[],
    [assistantMessage('done')],
    [assistantMessage('done')],
  ])
  const agent = new Agent({ name: 'worker', tools, model })
  const runner = new Runner({ tracingDisabled: true })
  const saved = (await runner.run(agent, 'Work.')).state.toString()
  const heard: string[] = []
  for (const _ of [1, 2]) {
    const state = await RunState.fromString(agent, saved)
    const asked = { sessionId, parameters, unguarded }
    assert.ok(await resolveInterruptions(reviews, state, asked))
    heard.push(JSON.stringify((await runner.run(agent, state)).history))
  }
  return heard
}

describe('a tool that has no function to guard', () => {
  it("of OpenAI's SDK runs once under its approval, from a state that is resumed twice", async () => {
    const { reviews, cases } = approving()
    const ran: unknown[] = []
    const run = async ({ commands }: { readonly commands: readonly string[] }) => {
      ran.push(commands)
      return { output: [] }
    }
    const shell = shellTool({ shell: { run }, needsApproval: true })
    const action = { commands: ['rm -rf build'] }
    const made = { type: 'shell_call', callId: 'c1', status: 'completed', action } as const
    const heard = await runTwice(reviews, made as unknown as Item, [shell])
    assert.deepEqual(ran, [action.commands])
    assert.match(heard[1] ?? '', /begun under its approval before/)
    const shown = [...cases.values()].map(({ presentation }) => JSON.stringify(presentation))
    assert.match(shown.join(), /^[^}]*"arguments":{.*"commands":\["rm -rf build"\]/)
  })

  it("of OpenAI's SDK that is an agent runs once, where it is named", async () => {
    const { reviews } = approving()
    let runs = 0
    const model = {
      getResponse: async () => {
        runs++
        return new ScriptedModel([[assistantMessage('helped')]]).getResponse({} as never)
      },
    }
    const helper = new Agent({ name: 'helper', model: model as never })
    const tool = helper.asTool({ toolName: 'help', toolDescription: 'Helps', needsApproval: true })
    const made = functionCall('help', { input: 'Help.' }, { callId: 'c1' })
    const heard = await runTwice(reviews, made, [tool], ['help'])
    assert.equal(runs, 1)
    assert.match(heard[1] ?? '', /begun under its approval before/)
  })

  it("of a hosted MCP server is shown with the server's label, and approved once", async () => {
    const { reviews, cases } = approving()
    const labels = ['files', 'backup']
    const made = labels.map((server_label, nth) => {
      const asked = { id: `mcpr_${nth}`, name: 'remove', arguments: '{ "path": "/a" }' }
      const providerData = { type: 'mcp_approval_request', server_label, ...asked }
      const { id } = asked
      const item = { type: 'hosted_tool_call', id, name: providerData.type, status: 'completed' }
      return { ...item, providerData } as unknown as Item
    })
    const tools = labels.map((serverLabel) => {
      const serverUrl = `https://${serverLabel}.example.com`
      return hostedMcpTool({ serverLabel, serverUrl, requireApproval: 'always' })
    })
    const heard = await runTwice(reviews, made, tools)
    assert.deepEqual(
      [...cases.values()].map(({ presentation }) => presentation),
      labels.map((label) => {
        return { action: { tool: `mcp_${label}.remove`, arguments: { path: '/a' } } }
      }),
    )
    const [first = '', again = ''] = heard
    assert.deepEqual(
      [first.match(/"approve":true/g)?.length, /"approve":false/.test(first)],
      [2, false],
    )
    assert.deepEqual(
      [again.match(/"approve":false/g)?.length, /"approve":true/.test(again)],
      [2, false],
    )
  })

  it("of OpenAI's SDK in a namespace is named with it, or nobody is asked", async () => {
    const { reviews, cases } = approving()
    const ran: unknown[] = []
    const parameters = z.object({ amount: z.number() })
    const plain = { name: 'pay', description: 'Pays', parameters, needsApproval: true }
    const inNamespace = (execute: (input: { amount: number }) => unknown) =>
      toolNamespace({
        name: 'crm',
        description: 'Customers',
        tools: [functionTool({ ...plain, execute })],
      })
    const pay = (input: unknown) => void ran.push(input)
    const call = (callId: string) =>
      ({ ...functionCall('pay', { amount: 3 }, { callId }), namespace: 'crm' }) as Item
    await assert.rejects(runTwice(reviews, call('c1'), inNamespace(pay), ['pay']), TypeError)
    assert.deepEqual([ran, cases.size], [[], 0])
    await runTwice(reviews, call('c2'), inNamespace(pay), ['crm.pay'])
    assert.deepEqual(ran, [{ amount: 3 }])
    // One that is known, and guarded, beside another of its name that is not.
    const guarded = reviews.guard('crm.pay', pay, idsOfDetails(sessionId))
    const known = { 'crm.pay': parameters }
    await runTwice(reviews, call('c3'), inNamespace(guarded), ['pay'], known)
    assert.equal(ran.length, 2)
    const shown = [...cases.values()].map(({ presentation }) => presentation)
    assert.deepEqual(shown[1], { action: { tool: 'crm.pay', arguments: { amount: 3 } } })
  })
})

describe('a call of no guarded tool that changes', () => {
  const other = '{"amount":9999}'
  const changes: Readonly<Record<string, (item: Interrupted) => void>> = {
    'in its arguments': (item) => {
      item.arguments = item.rawItem.arguments = other
    },
    'in what the SDK runs': ({ rawItem }) => Object.assign(rawItem, { arguments: other }),
    'for another tool': (item) => {
      item.name = item.rawItem.name = 'drain'
    },
    'for another call': ({ rawItem }) => Object.assign(rawItem, { callId: 'c2' }),
  }
  interface Interrupted {
    name: string
    arguments: string
    readonly rawItem: { type: string; callId: string; name: string; arguments: string }
  }

  for (const [name, change] of Object.entries(changes))
    for (const moment of ['while people look', 'while its approval is claimed'])
      it(`is rejected: ${name}, ${moment}`, async () => {
        const text = '{"amount":5}'
        const rawItem = { type: 'function_call', callId: 'c1', name: 'pay', arguments: text }
        const item: Interrupted = { name: 'pay', arguments: text, rawItem }
        const { withCalls, decide, cases } = playedClient()
        const client = withCalls(({ reportContinuation }) => ({
          async reportContinuation(report) {
            if (moment === 'while its approval is claimed') change(item)
            return reportContinuation(report)
          },
        }))
        const reviews = createReviews(client, {
          tools: {},
          onOpen: ({ reviewCaseId }) => {
            if (moment === 'while people look') change(item)
            decide(reviewCaseId, 'approved')
          },
        })
        const words: string[] = []
        const state = {
          getInterruptions: () => [item],
          approve: () => void words.push('approved'),
          reject: (_: Interrupted, { message = '' } = {}) => void words.push(message),
        }
        const asked = { sessionId, parameters: {}, unguarded: ['pay'] }
        await resolveInterruptions(reviews, state, asked)
        assert.equal(words.length, 1)
        assert.match(words[0] ?? '', /is another action than this call/)
        const [{ continuation } = assert.fail('no case')] = cases.values()
        assert.equal(continuation === null, moment === 'while people look')
      })
})
