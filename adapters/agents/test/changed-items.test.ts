import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createReviews } from '../index.ts'
import { resolveInterruptions } from '../openai.ts'
import { playedClient } from './played-client.ts'

interface Item {
  name: string
  arguments?: string
  rawItem: Record<string, unknown>
}

/** A call of a tool, whose approval the SDK gives on. */
const made = { type: 'function_call', callId: 'c', name: 'pay', arguments: '{"amount":1}' }
const another = '{"amount":9}'

/**
 * What comes of a call that is changed while a person looks, who approves it: `approved`, or the words of its denial.
 */
async function resolved(
  change: (item: Item) => void,
  { guarded, rawItem = { ...made } }: { readonly guarded: boolean; readonly rawItem?: object },
) {
  const { client, cases, decide } = playedClient()
  const item = { name: 'pay', arguments: made.arguments, rawItem } as Item
  if (!('arguments' in rawItem)) delete item.arguments
  const reviews = createReviews(client, {
    tools: {},
    onOpen({ reviewCaseId, state }) {
      if (state !== 'open') return
      change(item)
      decide(reviewCaseId, 'approved')
    },
  })
  const told: (string | undefined)[] = []
  const state = {
    getInterruptions: () => [item],
    approve: () => void told.push('approved'),
    reject: (_: Item, options?: { readonly message?: string }) => void told.push(options?.message),
  }
  const unguarded = guarded ? [] : ['pay']
  await resolveInterruptions(reviews, state, { sessionId: 's', parameters: {}, unguarded })
  const spent = [...cases.values()].some(({ continuation }) => continuation !== null)
  return { told: told.join(), spent }
}

const ring: Record<string, unknown> = {}
ring.self = ring

/** Changes that make another action of a call. */
const others: Readonly<Record<string, readonly [(item: Item) => void, object?]>> = {
  'its arguments': [(item) => Object.assign(item, { arguments: another })],
  'arguments of what the SDK runs': [
    ({ rawItem }) => Object.assign(rawItem, { arguments: another }),
  ],
  'its name': [(item) => Object.assign(item, { name: 'refund' })],
  'its id': [({ rawItem }) => Object.assign(rawItem, { callId: 'd' })],
  'its kind': [({ rawItem }) => Object.assign(rawItem, { type: 'hosted_tool_call' })],
  'arguments that are no member of their own': [
    ({ rawItem }) => Object.assign(Object.getPrototypeOf(rawItem), { arguments: another }),
    Object.assign(Object.create({ arguments: made.arguments }), {
      type: 'function_call',
      callId: 'c',
      name: 'pay',
    }),
  ],
  'arguments that are not enumerable': [
    ({ rawItem }) => Object.defineProperty(rawItem, 'arguments', { value: another }),
    Object.defineProperty({ type: 'function_call', callId: 'c', name: 'pay' }, 'arguments', {
      value: made.arguments,
      configurable: true,
    }),
  ],
  'arguments of an item that writes something else of itself': [
    ({ rawItem }) => Object.assign(rawItem, { arguments: another }),
    { ...made, toJSON: () => 'x' },
  ],
  'the commands of a shell': [
    ({ rawItem }) => Object.assign(rawItem, { action: { commands: ['rm -rf /'] } }),
    { type: 'shell_call', callId: 'c', action: { commands: ['ls'] } },
  ],
}

/** Changes of what acts nowhere. */
const same: Readonly<Record<string, readonly [(item: Item) => void, object?]>> = {
  nothing: [() => {}],
  'its status': [({ rawItem }) => Object.assign(rawItem, { status: 'completed' })],
  'the status of a shell call': [
    ({ rawItem }) => Object.assign(rawItem, { status: 'completed' }),
    { type: 'shell_call', callId: 'c', status: 'in_progress', action: { commands: ['ls'] } },
  ],
  'the order of its members': [
    (item) => {
      item.rawItem = Object.fromEntries(Object.entries(item.rawItem).reverse())
    },
  ],
  'nothing, where it has a big integer of the provider': [
    () => {},
    { ...made, providerData: { n: 1n } },
  ],
  'nothing, where it has a ring of the provider': [() => {}, { ...made, providerData: ring }],
}

for (const guarded of [true, false])
  describe(`an approved item that changes${guarded ? '' : ', of a tool without a guard'}`, () => {
    for (const [name, [change, rawItem]] of Object.entries(others))
      it(`is rejected: ${name}`, async () => {
        const { told, spent } = await resolved(change, {
          guarded,
          rawItem: copied(rawItem),
        })
        assert.match(told, /another action/)
        assert.equal(spent, false)
      })

    for (const [name, [change, rawItem]] of Object.entries(same))
      it(`stays approved: ${name}`, async () => {
        const { told } = await resolved(change, { guarded, rawItem: copied(rawItem) })
        assert.equal(told, 'approved')
      })
  })

/** A copy, for it is changed: own members with their descriptors, and its prototype. */
function copied(rawItem: object = made): object {
  const prototype: object | null = Object.getPrototypeOf(rawItem)
  const isOwn = prototype !== Object.prototype && prototype !== null
  const parent = isOwn ? { ...prototype } : prototype
  return Object.create(parent, Object.getOwnPropertyDescriptors(rawItem))
}
