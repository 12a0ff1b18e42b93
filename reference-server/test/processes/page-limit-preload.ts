import { BroadcastChannel, isMainThread } from 'node:worker_threads'
import Database from 'better-sqlite3'

// SIGUSR2 fills the disk, as SQLite sees it; the next one makes room again. Each thread has connections of its own.
const pragma = Database.prototype.pragma
const open = new Set<Database.Database>()
Database.prototype.pragma = function noted(text, options) {
  open.add(this)
  return pragma.call(this, text, options)
}

function limit(full: boolean): void {
  for (const db of open) {
    const pages = full ? pragma.call(db, 'page_count', { simple: true }) : 1_000_000
    pragma.call(db, `max_page_count = ${pages}`)
  }
}

const channel = new BroadcastChannel('page limit')
channel.unref()
channel.onmessage = (message) => limit((message as { readonly data: boolean }).data)
if (isMainThread) {
  let full = false
  process.on('SIGUSR2', () => {
    full = !full
    limit(full)
    channel.postMessage(full)
  })
}
