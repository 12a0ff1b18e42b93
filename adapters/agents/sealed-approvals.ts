import { canonicalize } from '@countersign/core/canonical'
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

/** What an id is by its form: given out of a call that can be shown, of one that can not, or the provider's own (null). */
export function sealOf(approvalId: string): 'shown' | 'unshown' | null {
  const [sealed, , unshown] = sealedForm.exec(approvalId) ?? []
  if (sealed === undefined) return null
  return unshown === undefined ? 'shown' : 'unshown'
}

/** Creates what gives out ids of approvals with a MAC over their calls, and finds the calls of such. */
export function createSeals(sessionId: string, secret: string) {
  if (secret.length < 32) throw new RangeError('secret: expected at least 32 characters')
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const { subtle } = crypto
  const bytesOf = (text: string) => new TextEncoder().encode(text)
  const keyed = subtle.importKey('raw', bytesOf(secret), hmac, false, ['sign', 'verify'])
  /** What the MAC is over; null for a call that can not be shown. */
  const shownText = (approvalId: string, { toolCallId, toolName, input }: AskedCall) => {
    if (typeof input === 'string') return null
    try {
      return bytesOf(canonicalize([sessionId, approvalId, toolCallId, toolName, jsonOf(input)]))
    } catch {
      return null
    }
  }
  /** What it is over where the arguments can not be shown, which messages have in another form. */
  const unshownText = (approvalId: string, { toolCallId, toolName }: AskedCall) =>
    bytesOf(JSON.stringify([sessionId, approvalId, toolCallId, toolName]))

  return {
    async idOf(approvalId: string, call: AskedCall): Promise<string> {
      const shown = shownText(approvalId, call)
      const text = shown ?? unshownText(approvalId, call)
      const mac = await subtle.sign('HMAC', await keyed, text)
      const hex = Array.from(new Uint8Array(mac), (byte) => byte.toString(16).padStart(2, '0'))
      const tag = tagOf(call.toolCallId)
      return `${approvalId}${shown ? '' : '.unshown'}.${tag}.${hex.join('')}`
    },
    /** The call of which an id was given out; null where it is of none of these. */
    async callOf(id: string, byId: CallsById): Promise<FoundApproval | null> {
      const [, approvalId, unshown, tag = '', hex] = sealedForm.exec(id) ?? []
      if (approvalId === undefined || hex === undefined) return null
      const calls = byId.get(idOfTag(tag)) ?? []
      const isShown = unshown === undefined
      const textOf = isShown ? shownText : unshownText
      const mac = Uint8Array.from(hex.match(/../g) ?? [], (each) => Number.parseInt(each, 16))
      for (const call of calls) {
        const text = textOf(approvalId, call)
        if (text && (await subtle.verify('HMAC', await keyed, mac, text)))
          return { approvalId, call, isShown, isOne: calls.length === 1 }
      }
      return null
    },
  }
}
