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

/** Plays the agent of an entry: it makes two calls, and appends what it pays to `paid` in its directory; what it heard. */
export async function playAgent<D extends Disk>(
  entry: Entry<D>,
  disk: D,
  { directory, sessionId, told, hold }: Omit<ProcessArguments, 'name'>,
): Promise<string> {
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
  return entry.run({
    client,
    reviews: createReviews(client, {
      tools: { transfer: {} },
      pollMs: [20, 100],
      identify: entry.byContent ? 'content' : 'call',
    }),
    sessionId,
    disk,
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
}

/** Plays the agent of an entry as this process, for tests that kill it. */
export async function runAgentProcess<D extends Disk>(
  find: (name: string) => Promise<Entry<D> | undefined>,
  diskIn: (directory: string) => D,
): Promise<never> {
  const { name, ...given }: ProcessArguments = JSON.parse(process.argv[2] ?? '{}')
  const entry = await find(name)
  if (!entry) throw new Error(`no entry ${name}`)
  await playAgent(entry, diskIn(given.directory), given)
  process.exit(0)
}
