import type { Inbox, InboxEntry } from '@countersign/core/ports'
import { createInboxModel, type InboxModel } from '../../inbox/model.ts'

/** What the suite is given of an inbox under test. */
export interface InboxHost {
  create(): Promise<Inbox>
  reopen(inbox: Inbox): Promise<Inbox>
}

/** What an inbox keeps. */
export interface Kept {
  readonly model: InboxModel
  /** Every call that changed something, in its order, so that a restart can lose one. */
  readonly writes: Write[]
}

/** One change, as it can be done again. */
export interface Write {
  readonly kind: 'store' | 'take' | 'hold' | 'handled' | 'failed'
  again(model: InboxModel): unknown
}

/** Members of an inbox that are broken, over the sound one. */
export type Change = (inbox: Inbox, kept: Kept) => Partial<Inbox>

export interface HostFaults {
  readonly change?: Change
  /** The same for an inbox that was opened anew. */
  readonly reopened?: Change
  /** The writes that a restart finds. */
  readonly survive?: (writes: readonly Write[]) => readonly Write[]
}

/** An inbox in memory that outlives its closing; sound without faults. */
export function inboxHost({ change, reopened, survive }: HostFaults = {}): InboxHost {
  const all = new WeakMap<Inbox, Kept>()
  const open = (kept: Kept, changes: readonly (Change | undefined)[]): Inbox => {
    let inbox = attach(kept)
    for (const one of changes) if (one) inbox = { ...inbox, ...one(inbox, kept) }
    all.set(inbox, kept)
    return inbox
  }
  return {
    create: async () => open({ model: createInboxModel(), writes: [] }, [change]),
    async reopen(inbox) {
      await inbox.close()
      const kept = all.get(inbox)
      if (!kept) throw new Error('not an inbox of this host')
      if (!survive) return open(kept, [change, reopened])
      const model = createInboxModel()
      const writes = [...survive(kept.writes)]
      for (const write of writes) write.again(model)
      return open({ model, writes }, [change, reopened])
    },
  }
}

function attach({ model, writes }: Kept): Inbox {
  let closed = false
  const write = <T>(kind: Write['kind'], run: (on: InboxModel) => T): T => {
    if (closed) throw new Error('the inbox is closed')
    writes.push({ kind, again: run })
    return run(model)
  }
  return {
    async store(given) {
      const entry: InboxEntry = { ...given, body: given.body.slice() }
      return write('store', (on) => on.store(entry))
    },
    head: async (id) => model.head(id),
    take: async (query) => write('take', (on) => on.take(query)),
    hold: async (turns, until) => write('hold', (on) => on.hold(turns, until)),
    handled: async (turn) => write('handled', (on) => on.handled(turn)),
    failed: async (turn, at) => write('failed', (on) => on.failed(turn, at)),
    has: async (ids) => model.has(ids),
    async close() {
      closed = true
    },
  }
}
