import {
  hasOwnKey,
  type Message,
  openOutcome,
  openWithOwnKey,
  outcomeKeys,
} from '@countersign/core/internal'
import { plainCipher } from '@countersign/core/testing'
import { sealer } from '../machine.ts'
import { type Committed, keyText, of, type Transition, type Truth } from '../truth.ts'

const fromUtf8 = new TextDecoder('utf-8', { fatal: true })

export function textOf(bytes: Uint8Array): string {
  return fromUtf8.decode(bytes)
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}

/** An outcome's bytes as they are sent; a key of its own is the commit's, or was known before. */
export function outcomeBytes(
  truth: Truth,
  message: Message,
  transitions: readonly Transition[] = [],
): Uint8Array {
  if (!hasOwnKey(message.body)) return openOutcome(sealer, message)
  const { messageId } = message
  const made = of(outcomeKeys, transitions).find(({ after }) => after?.row.messageId === messageId)
  const key = made?.after ?? truth.rows(outcomeKeys).get(keyText([messageId]))
  return openWithOwnKey({ cipher: plainCipher(), sealer }, message, key?.row)
}

/** What the audit entries of a commit say was done. */
export function actionsOf({ set }: Pick<Committed, 'set'>): readonly string[] {
  return (set.appends ?? []).map(({ entry }) => {
    const { action } = JSON.parse(textOf(entry)) as { readonly action: string }
    return action
  })
}
