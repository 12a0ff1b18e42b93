import { once } from 'node:events'
import { openPostgresInbox } from '@countersign/postgres'
import pg from 'pg'

/** Where a handler is when its process is killed. */
export type Moment = 'before' | 'written' | 'ended' | 'settled'

// A process of its own: handles what is due, and says where it is and waits to be killed.
const [, , url = '', schema = '', way = '', moment = ''] = process.argv
if (process.send && way !== '') {
  const say = async (at: Moment) => {
    if (at !== moment) return
    process.send?.(at)
    await once(process, 'disconnect')
  }
  const inbox = await openPostgresInbox({ url, schema })
  const own = new pg.Pool({ connectionString: url })
  const effect = (
    by: { query(text: string, values?: readonly unknown[]): Promise<unknown> },
    id: string,
  ) => by.query(`insert into ${schema}.effects (id) values ($1)`, [id])
  const onEvent =
    way === 'transactional'
      ? inbox.transactional<Turn>(async (transaction, { message }) => {
          await say('before')
          await effect(transaction, message.id)
          await say('written')
        })
      : async ({ message }: Turn) => {
          await say('before')
          await effect({ query: (text, values = []) => own.query(text, [...values]) }, message.id)
          await say('written')
        }
  // As the pump of a receiver does it; holds end at once, so that the next process need not wait.
  for (;;) {
    const now = Date.now()
    const turns = await inbox.take({ topic: 'event', now, holdUntil: now + 1, limit: 1 })
    const [turn] = turns
    if (!turn) break
    await onEvent({ message: { id: turn.entry.id }, attempt: turn.attempt })
    await say('ended')
    await inbox.handled({ id: turn.entry.id, attempt: turn.attempt }, Date.now())
    await say('settled')
  }
  await own.end()
  await inbox.close()
  process.disconnect()
}

interface Turn {
  readonly message: { readonly id: string }
  readonly attempt: number
}
