import { bytesToHex } from '@noble/hashes/utils.js'
import type { LogEntry } from '../../base/ports/store.ts'
import { chainStart } from '../../base/store-kit/log-chain.ts'

const fromUtf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Entries of the audit log as lines of JSON. Each line is the entry's own text, whose SHA-256 behind the hash before it
 * is its hash, with `position` in front and `previousHash` and `hash` behind.
 */
export async function* auditLines(
  entries: AsyncIterable<LogEntry>,
): AsyncGenerator<string, void, undefined> {
  let previous = chainStart
  for await (const { position, entry, hash } of entries) {
    const text = fromUtf8.decode(entry)
    const chain = `"previousHash":"${bytesToHex(previous)}","hash":"${bytesToHex(hash)}"`
    yield `{"position":${position},${text.slice(1, -1)},${chain}}\n`
    previous = hash
  }
}
