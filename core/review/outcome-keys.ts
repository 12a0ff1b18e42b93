import { concatBytes } from '@noble/hashes/utils.js'
import type { Cipher } from '../base/ports/cipher.ts'
import type { Random } from '../base/ports/random.ts'
import type { Sealer } from '../base/ports/secrets.ts'
import type { Put, Read } from '../base/ports/store.ts'
import { longest } from '../kernel/ledger/limits.ts'
import { get, put } from '../kernel/ledger/reads.ts'
import type { SealedMembers } from '../kernel/sealing/sealed-members.ts'
import { line, type RowsOf, stored } from '../kernel/shape.ts'
import { table } from '../kernel/table.ts'
import type { Message } from '../outbox/records.ts'
import { openOutcome, ownKeyMark } from './sealing.ts'

/**
 * The keys under which outcomes lie that are still being sent while the content of their cases is erased: once its row
 * is gone, nothing opens an outcome, with the master key neither.
 */
export const outcomeKeys = table({
  name: 'outcomeKeys',
  members: {
    tenantId: line(longest.id),
    applicationId: line(longest.id),
    messageId: line(longest.id),
    reviewCaseId: line(longest.id),
    /** 32 random bytes, sealed for this message. They seal one outcome, once. */
    sealed: stored<Uint8Array>(),
  },
  key: ['messageId'],
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  // With the outcomes: until these end, nothing tries them without their keys.
  purge: { application: 'applicationId' },
  retain: { work: 'erasure' },
  shred: true,
})
/** The key of one outcome. */
export interface OutcomeKey extends RowsOf<typeof outcomeKeys.members> {}

/** The read of an outcome's own key. */
export function outcomeKeyOf(messageId: string): Read {
  return get(outcomeKeys, [messageId])
}

const keyBytes = 32
/** A key seals once, so that its nonce may be the same always. */
const nonce: Uint8Array = new Uint8Array(12)
const utf8 = new TextEncoder()

type Place = Pick<OutcomeKey, 'tenantId' | 'messageId'>

function contextOf({ tenantId, messageId }: Place): string {
  return JSON.stringify(['outcome key', tenantId, messageId])
}

/** The outcome of a case under a key of its own, and the put of that key; for one that has none yet. */
export function underOwnKey(
  { cipher, random, sealer }: { cipher: Cipher; random: Random; sealer: Sealer },
  message: Message,
  review: Pick<OutcomeKey, 'applicationId' | 'reviewCaseId'>,
): { readonly message: Message; readonly put: Put } {
  const { tenantId, messageId } = message
  const key = random.bytes(keyBytes)
  const sealed = cipher.encrypt({
    key,
    nonce,
    plain: openOutcome(sealer, message),
    additional: utf8.encode(contextOf(message)),
  })
  const { applicationId, reviewCaseId } = review
  const row: OutcomeKey = {
    tenantId,
    applicationId,
    messageId,
    reviewCaseId,
    sealed: sealer.seal(key, contextOf(message)),
  }
  return {
    message: { ...message, body: concatBytes(Uint8Array.of(ownKeyMark), sealed) },
    put: put(outcomeKeys, row, null),
  }
}

/** The bytes of an outcome that lies under a key of its own; throws where this is not that key. */
export function openWithOwnKey(
  { cipher, sealer }: { readonly cipher: Cipher; readonly sealer: Sealer },
  outcome: Pick<Message, 'tenantId' | 'messageId' | 'body'>,
  key: OutcomeKey | undefined,
): Uint8Array {
  const { messageId, body } = outcome
  const plain =
    key &&
    cipher.decrypt({
      key: sealer.open(key.sealed, contextOf(key)),
      nonce,
      sealed: body.subarray(1),
      additional: utf8.encode(contextOf(outcome)),
    })
  if (!plain) throw new Error(`the outcome ${messageId} lies under a key that is gone`)
  return plain
}

export const sealedOutcomeKeys: SealedMembers<OutcomeKey> = {
  collection: outcomeKeys,
  map: (row, change) => ({ ...row, sealed: change(row.sealed, contextOf(row)) }),
}
