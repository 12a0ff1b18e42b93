import type { Json } from '../../content/span.ts'
import { type Attributes, forbiddenKeys } from './any-value.ts'

/** Names within a key, at most: what they spell nests as deep. */
const mostNames = 12
const indexForm = /^\d{1,6}$/
/** OpenInference's names for the item of a list, which say no more than the list's. */
const wrappers = new Set([
  'message',
  'message_content',
  'tool_call',
  'document',
  'prompt',
  'completion',
])

/** What keys of a common prefix spell, and these keys. */
export interface Unflattened {
  readonly value: Json
  readonly keys: readonly string[]
}

/** Values by the names within their keys. */
type Branch = Map<string, Branch | Leaf>
interface Leaf {
  readonly leaf: Json
}

/**
 * The list that attributes spell by keys such as `llm.input_messages.0.message.role`, in the order of its numbers, which
 * may have gaps. Null where there is none, and where keys contradict each other.
 */
export function listUnder(attributes: Attributes, prefix: string): Unflattened | null {
  const start = `${prefix}.`
  let root: Branch | null = null
  const keys: string[] = []
  for (const key in attributes) {
    if (!key.startsWith(start)) continue
    const names = key.slice(start.length).split('.')
    // Such as `gen_ai.prompt.name`.
    if (!indexForm.test(names[0] ?? '')) continue
    root ??= new Map()
    if (!enter(root, names, attributes[key] ?? null)) return null
    keys.push(key)
  }
  return root === null ? null : { value: jsonOf(root), keys }
}

/** Whether a value has its place: no other value lies there or above. */
function enter(root: Branch, names: readonly string[], leaf: Json): boolean {
  if (names.length > mostNames) return false
  let branch = root
  for (const [at, name] of names.entries()) {
    const isLast = at === names.length - 1
    const found = branch.get(name)
    if (name === '' || forbiddenKeys.has(name) || (found && (isLast || !(found instanceof Map))))
      return false
    if (isLast) branch.set(name, { leaf })
    else {
      const next: Branch = found ?? new Map()
      branch.set(name, next)
      branch = next
    }
  }
  return true
}

function jsonOf(place: Branch | Leaf): Json {
  if (!(place instanceof Map)) return place.leaf
  const members = [...place]
  if (!members.every(([name]) => indexForm.test(name)))
    return Object.fromEntries(members.map(([name, inner]) => [name, jsonOf(inner)]))
  return members
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([, inner]) => jsonOf(unwrapped(inner)))
}

function unwrapped(place: Branch | Leaf): Branch | Leaf {
  if (!(place instanceof Map) || place.size !== 1) return place
  const [[name, inner] = ['', place]] = place
  return wrappers.has(name) && inner instanceof Map ? inner : place
}
