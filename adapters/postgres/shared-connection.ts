import type { Connection } from './connection.ts'
import { endsConnection, translate } from './errors.ts'

/** A connection that many use at once, opened when it is first used and again after it broke. */
export interface SharedConnection {
  get(): Promise<Connection>
  /** `again`: repeats it once on a new connection where the one that there was broke. */
  use<T>(ask: (connection: Connection) => Promise<T>, how: { readonly again: boolean }): Promise<T>
  close(): Promise<void>
}

export function createShared(open: () => Promise<Connection>): SharedConnection {
  let opening: Promise<Connection> | null = null
  let current: Connection | null = null

  async function get(): Promise<Connection> {
    if (current && !current.lost()) return current
    opening ??= open().then(
      (made) => {
        current = made
        opening = null
        return made
      },
      (error: unknown) => {
        opening = null
        throw error
      },
    )
    return opening
  }

  async function once<T>(ask: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await get()
    try {
      return await ask(connection)
    } catch (error) {
      if (endsConnection(error)) await connection.close()
      throw error
    }
  }

  return {
    get,
    async use(ask, { again }) {
      try {
        return await once(ask)
      } catch (error) {
        if (!again || !endsConnection(error)) throw translate(error)
      }
      return once(ask).catch((error: unknown) => {
        throw translate(error)
      })
    },
    async close() {
      const made = await opening?.catch(() => null)
      await (made ?? current)?.close()
    },
  }
}
