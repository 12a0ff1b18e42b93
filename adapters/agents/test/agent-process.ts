import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { createClient } from '@countersign/client'
import { MemorySaver } from '@langchain/langgraph'
import { createReviews } from '../index.ts'
import { type Disk, entries } from './entries.ts'

// An agent of one entry as a process, for tests that kill it. It makes two calls, appends what it pays to `paid`, and
// what it heard in the end to `heard`, in its directory; with `hold` it never comes back from its first payment.
const [name = '', directory = '', session = '', told = '{}', hold = ''] = process.argv.slice(2)

/** Checkpoints of LangGraph in a file, written before each call goes on. */
class FileSaver extends MemorySaver {
  readonly #file: string

  constructor(file: string) {
    super()
    this.#file = file
    if (!existsSync(file)) return
    const { storage, writes } = deserialize(readFileSync(file))
    this.storage = storage
    this.writes = writes
  }

  #keep(): void {
    const { storage, writes } = this
    replace(this.#file, serialize({ storage: { ...storage }, writes: { ...writes } }))
  }

  override async put(...given: Parameters<MemorySaver['put']>) {
    const done = await super.put(...given)
    this.#keep()
    return done
  }

  override async putWrites(...given: Parameters<MemorySaver['putWrites']>) {
    await super.putWrites(...given)
    this.#keep()
  }
}

/** Replaces a file whole: a process that is killed meanwhile leaves the old one. */
function replace(file: string, content: string | Uint8Array): void {
  writeFileSync(`${file}.new`, content)
  renameSync(`${file}.new`, file)
}

const state = join(directory, 'state')
const disk: Disk = {
  load: () => (existsSync(state) ? readFileSync(state, 'utf8') : null),
  save: (text) => replace(state, text),
  saver: new FileSaver(join(directory, 'checkpoints')),
}
const client = createClient(JSON.parse(told))
const reviews = createReviews(client, { tools: { transfer: {} }, pollMs: [20, 100] })
const heard = await entries[name]?.run({
  reviews,
  sessionId: session,
  disk,
  calls: [
    { callId: 'call_1', input: { to: 'ACME', amount: 5 } },
    { callId: 'call_2', input: { to: 'ACME', amount: 7 } },
  ],
  pay: async ({ amount }) => {
    if (hold && amount === 5) {
      appendFileSync(join(directory, 'begun'), `${amount}\n`)
      // Held until the process is killed.
      await new Promise(() => setInterval(() => {}, 60_000))
    }
    appendFileSync(join(directory, 'paid'), `${amount}\n`)
    return `paid ${amount}`
  },
})
replace(join(directory, 'heard'), heard ?? '')
process.exit(0)
