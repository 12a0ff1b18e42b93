import { parentPort, workerData } from 'node:worker_threads'
import { createStoreRules } from '@countersign/core/store-kit'
import { connect } from './connection.ts'
import { checkIdentity } from './store-files.ts'
import { openTables } from './tables.ts'
import {
  type Asked,
  type Job,
  packBatch,
  setOf,
  type Told,
  toldError,
  unpackBatch,
  type WriterAnswer,
  type WriterSettings,
} from './thread-messages.ts'
import { createWriter } from './writer.ts'

// The thread that writes: a connection of its own, and the same writer that a store without a thread has.
const { file, identity, busyTimeoutMs, most, ...declared } = workerData as WriterSettings
const connection = connect({
  file,
  quickCheck: false,
  ...(busyTimeoutMs !== undefined && { busyTimeoutMs }),
})
checkIdentity(file, identity)
const tables = openTables(connection.db, createStoreRules(declared))
const writer = createWriter(connection.db, tables, most)
let told: Told[] = []

async function perform(job: Job): Promise<WriterAnswer> {
  switch (job.kind) {
    case 'commit':
      return await writer.commit(setOf(job))
    case 'claim':
      return await writer.claim(job.query)
    case 'probe':
      return await writer.probe()
    case 'scrub':
      await writer.scrub()
      return null
    case 'close':
      await writer.close()
      connection.close()
      return null
  }
}

function tell(one: Told): void {
  told.push(one)
  // A transaction settles all its works at once, and they are told together.
  if (told.length === 1) queueMicrotask(post)
}

function post(): void {
  const bytes = packBatch(told)
  told = []
  parentPort?.postMessage(bytes, [bytes.buffer as ArrayBuffer])
}

async function answer({ id, job }: Asked): Promise<void> {
  try {
    tell({ id, answer: await perform(job) })
  } catch (error) {
    tell(toldError(id, error))
  }
  // What was committed before it is told in this turn, some of it behind this.
  if (job.kind === 'close') setImmediate(() => parentPort?.close())
}

parentPort?.on('message', (bytes: Uint8Array) => {
  for (const asked of unpackBatch<Asked>(bytes)) void answer(asked)
})
