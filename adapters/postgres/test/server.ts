import { after } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** A PostgreSQL server of a test file. */
export interface TestServer {
  readonly url: string
  readonly port: number
  start(): Promise<void>
  stop(signal?: 'SIGINT' | 'SIGQUIT'): Promise<void>
  end(): Promise<void>
}

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const tools = await import(pathToFileURL(`${root}.ci/postgres.mjs`).href)
const found: { readonly bin: string } | { readonly missing: string } = tools.findPostgres()

/** Why there is no server to test with, for `skip`; null where there is. A run that has to be whole (CI) goes on and fails. */
export const missing: string | null = 'missing' in found && !process.env.CI ? found.missing : null

let started: Promise<TestServer> | null = null

/** The server of this file, started when it is first needed and gone when the tests are through. */
export function server(): Promise<TestServer> {
  if (!('bin' in found)) throw new Error(found.missing)
  started ??= tools.startPostgres(found.bin) as Promise<TestServer>
  return started
}

after(async () => (await started)?.end())

let schemas = 0

/** A name for a schema that no other test of this file uses. */
export const freshSchema = (): string => `test_${process.pid}_${++schemas}`
