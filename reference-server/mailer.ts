import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Mailer } from '@countersign/core/ports'
import { ConfigError } from './config.ts'

/** The mailer of an operator's module, which exports `send`; relative paths are those of the process. */
export async function openMailer(path: string): Promise<Mailer> {
  const module: unknown = await import(pathToFileURL(resolve(path)).href).catch((error) => {
    throw wrong(error instanceof Error ? error.message : String(error), { cause: error })
  })
  const { send } = module as Partial<Mailer>
  if (typeof send !== 'function')
    throw wrong(`expected ${path} to export the function send, got ${typeof send}`)
  return { send }
}

function wrong(detail: string, options?: ErrorOptions): ConfigError {
  return new ConfigError([`COUNTERSIGN_MAILER: ${detail}`], options)
}
