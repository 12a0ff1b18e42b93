import { Readable } from 'node:stream'
import { main } from '../../countersign.ts'

export interface Ran {
  readonly status: number
  readonly out: string
  readonly err: string
}

/** `countersign` with these arguments, in this process. */
export async function runCommand(
  args: readonly string[],
  given: {
    readonly environment?: Readonly<Record<string, string>>
    readonly input?: string
  } = {},
): Promise<Ran> {
  let out = ''
  let err = ''
  const status = await main(args, {
    environment: given.environment ?? {},
    input: Readable.from([given.input ?? '']),
    out: (text) => {
      out += text
    },
    err: (text) => {
      err += text
    },
  })
  return { status, out, err }
}

const key = Buffer.alloc(32, 7).toString('base64')

/** Settings of a server on this database. */
export const settingsOf = (database: string): Readonly<Record<string, string>> => ({
  COUNTERSIGN_DATABASE: database,
  COUNTERSIGN_MASTER_KEY: key,
  COUNTERSIGN_SESSION_SECRET: key,
  COUNTERSIGN_INGEST_URL: 'https://ingest.example.com',
  COUNTERSIGN_PORTAL_URL: 'https://portal.example.com',
})
