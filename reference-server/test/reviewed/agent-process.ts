import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createReviews } from '@countersign/agents'
import { createClient } from '@countersign/client'
import type { Disk, Entry } from './play.ts'

/** Where an agent stops for good, until it is killed; its directory then has a file `held`. */
export const holds = ['asking', 'claiming', 'claimed', 'acting', 'acted'] as const
export type Hold = (typeof holds)[number]

/** What an agent's process is told, as its arguments. */
export interface ProcessArguments {
  readonly name: string
  readonly directory: string
  readonly sessionId: string
  readonly told: { readonly ingestUrl: string; readonly apiKey: string }
  readonly hold: Hold | null
}

/** Replaces a file whole: a process that is killed meanwhile leaves the old one. */
export function replaceFile(file: string, content: string | Uint8Array): void {
  writeFileSync(`${file}.new`, content)
  renameSync(`${file}.new`, file)
}

/** A disk in a directory. */
export function fileDisk(directory: string): Disk {
  const state = join(directory, 'state')
  return {
    load: () => (existsSync(state) ? readFileSync(state, 'utf8') : null),
    save: (text) => replaceFile(state, text),
  }
}

/**
 * Runs the agent of an entry as this process, for tests that kill it. It makes two calls, appends what it pays to `paid`
 * and writes what it heard in the end to `heard`, in its directory.
 */
export async function runAgentProcess<D extends Disk>(
  entries: Readonly<Record<string, Entry<D>>>,
  diskIn: (directory: string) => D,
): Promise<never> {
  const given: ProcessArguments = JSON.parse(process.argv[2] ?? '{}')
  const { name, directory, sessionId, told, hold } = given
  const entry = entries[name]
  if (!entry) throw new Error(`no entry ${name}`)

  async function holdAt(place: Hold): Promise<void> {
    if (place !== hold) return
    appendFileSync(join(directory, 'held'), `${place}\n`)
    await new Promise(() => setInterval(() => {}, 60_000))
  }

  const holding: typeof fetch = async (url, init) => {
    const isPost = init?.method === 'POST'
    const isClaim = String(url).endsWith('/continuation')
    if (isPost) await holdAt(isClaim ? 'claiming' : 'asking')
    const answer = await fetch(url, init)
    if (isPost && isClaim) await holdAt('claimed')
    return answer
  }
  const client = createClient({ ...told, surroundings: { fetch: holding } })
  const heard = await entry.run({
    reviews: createReviews(client, {
      tools: { transfer: {} },
      pollMs: [20, 100],
      identify: entry.byContent ? 'content' : 'call',
    }),
    sessionId,
    disk: diskIn(directory),
    calls: [
      { callId: 'call_1', input: { to: 'ACME', amount: 5 } },
      { callId: 'call_2', input: { to: 'ACME', amount: 7 } },
    ],
    pay: async ({ amount }) => {
      await holdAt('acting')
      appendFileSync(join(directory, 'paid'), `${amount}\n`)
      await holdAt('acted')
      return `paid ${amount}`
    },
  })
  replaceFile(join(directory, 'heard'), heard)
  process.exit(0)
}
