import type { Found, Read } from '../base/ports/store.ts'
import { get, one } from '../kernel/ledger/reads.ts'
import { messages } from '../outbox/records.ts'

/** Bodies of messages by their ids, of those that are still kept. */
export async function bodiesOf(
  messageIds: readonly string[],
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const ids = [...new Set(messageIds)]
  const found = ids.length > 0 ? await read(ids.map((id) => get(messages, [id]))) : []
  return new Map(
    found.flatMap((each) => {
      const message = one(messages, each)
      return message ? [[message.row.messageId, message.row.body] as const] : []
    }),
  )
}
