import { after } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'

interface PostgresServer {
  readonly url: string
  end(): Promise<void>
}

const root = fileURLToPath(new URL('../../../', import.meta.url))
const tools = await import(pathToFileURL(`${root}.ci/postgres.mjs`).href)
const found: { readonly bin: string } | { readonly missing: string } = tools.findPostgres()

/** Why there is no server to test with; null where there is, and in a run that has to be whole (CI), which fails then. */
export const missing: string | null = 'missing' in found && !process.env.CI ? found.missing : null

let started: Promise<PostgresServer> | null = null

/** The PostgreSQL server of this file, with an empty database; it ends with the tests. */
export function postgresServer(): Promise<PostgresServer> {
  if (!('bin' in found)) throw new Error(found.missing)
  started ??= tools.startPostgres(found.bin) as Promise<PostgresServer>
  return started
}

after(async () => (await started)?.end())
