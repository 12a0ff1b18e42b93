import { digestOf } from '@countersign/core/canonical'
import { jsonOf } from './tool-call.ts'

/** A call of which a provider asks, as the id of its approval is made of it. */
export interface AskedCall {
  readonly toolCallId: string
  readonly toolName: string
  /** Text, where others may read the arguments otherwise than they would be shown. */
  readonly input: unknown
}

/** What an id that was given out is of. */
export interface FoundApproval {
  /** The provider's own. */
  readonly approvalId: string
  readonly call: AskedCall
  /** Whether its arguments can be shown: nobody is asked about others. */
  readonly isShown: boolean
  /** Whether no other call of that id stands in the messages. */
  readonly isOne: boolean
}

/** The calls of messages by their ids: of each id the first, and one that is another call. */
export type CallsById = ReadonlyMap<string, readonly AskedCall[]>

/** The provider's id, what can not be shown, the call's id, by which it is found, and the MAC. */
const sealedForm = /^(.+?)(\.unshown)?\.([\w%-]*)\.([0-9a-f]{64})$/s
/** A call's id in letters that part nothing. */
const tagOf = (toolCallId: string) =>
  toolCallId.replaceAll(/[^\w-]/g, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
const idOfTag = (tag: string) =>
  tag.replaceAll(/%([0-9a-f]{4})/g, (_, unit: string) =>
    String.fromCharCode(Number.parseInt(unit, 16)),
  )

/** The parts of an id in the one spelling that is given out; null for any other id. */
function partsOf(id: string) {
  const [, approvalId, unshown, tag, hex] = sealedForm.exec(id) ?? []
  if (approvalId === undefined || tag === undefined || hex === undefined) return null
  const toolCallId = idOfTag(tag)
  if (tagOf(toolCallId) !== tag) return null
  return { approvalId, isShown: unshown === undefined, toolCallId, hex }
}

/**
 * What an id is by its form: given out of a call that can be shown, of one that can not, or the provider's own (null).
 */
export function sealOf(approvalId: string): 'shown' | 'unshown' | null {
  const parts = partsOf(approvalId)
  if (!parts) return null
  return parts.isShown ? 'shown' : 'unshown'
}

/** A call's digest; null for one that can not be shown. */
function shownDigest({ toolCallId, toolName, input }: AskedCall): string | null {
  if (typeof input === 'string') return null
  try {
    return digestOf([toolCallId, toolName, jsonOf(input)])
  } catch {
    return null
  }
}

/** A digest where the arguments can not be shown, which messages have in another form. */
function unshownDigest({ toolCallId, toolName }: AskedCall): string {
  // As text, which no call that is shown has a digest of; with escapes for what has no canonical form.
  return digestOf(JSON.stringify([toolCallId, toolName]))
}

/** Has a function compute what it does once for each call, however many approvals name it. */
function onceForEach<T>(of: (call: AskedCall) => T): (call: AskedCall) => T {
  const known = new WeakMap<AskedCall, { readonly value: T }>()
  return (call) => {
    const had = known.get(call) ?? { value: of(call) }
    known.set(call, had)
    return had.value
  }
}

/**
 * Creates what gives out ids of approvals with a MAC over their calls, and finds the calls of such. A call is read
 * once: whoever gives one makes it anew for each request or answer.
 */
export function createSeals(sessionId: string, secret: string) {
  if (secret.length < 32) throw new RangeError('secret: expected at least 32 characters')
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const { subtle } = crypto
  const bytesOf = (text: string) => new TextEncoder().encode(text)
  const keyed = subtle.importKey('raw', bytesOf(secret), hmac, false, ['sign', 'verify'])
  const shown = onceForEach(shownDigest)
  const unshown = onceForEach(unshownDigest)
  /** What the MAC is over. */
  const textOf = (approvalId: string, digest: string) =>
    bytesOf(JSON.stringify([sessionId, approvalId, digest]))

  return {
    async idOf(approvalId: string, call: AskedCall): Promise<string> {
      const digest = shown(call)
      const text = textOf(approvalId, digest ?? unshown(call))
      const mac = await subtle.sign('HMAC', await keyed, text)
      const hex = Array.from(new Uint8Array(mac), (byte) => byte.toString(16).padStart(2, '0'))
      const tag = tagOf(call.toolCallId)
      return `${approvalId}${digest === null ? '.unshown' : ''}.${tag}.${hex.join('')}`
    },
    /** The call of which an id was given out; null where it is of none of these. */
    async callOf(id: string, byId: CallsById): Promise<FoundApproval | null> {
      const parts = partsOf(id)
      if (!parts) return null
      const { approvalId, isShown, toolCallId, hex } = parts
      const calls = byId.get(toolCallId) ?? []
      const mac = Uint8Array.from(hex.match(/../g) ?? [], (each) => Number.parseInt(each, 16))
      for (const call of calls) {
        const digest = isShown ? shown(call) : unshown(call)
        if (digest === null) continue
        if (await subtle.verify('HMAC', await keyed, mac, textOf(approvalId, digest)))
          return { approvalId, call, isShown, isOne: calls.length === 1 }
      }
      return null
    },
  }
}
