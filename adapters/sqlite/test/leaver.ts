import { openLedger, write } from './writer.ts'

// Writes once on a thread of its own, and ends without closing.
await write(openLedger(process.argv[2] ?? '', true), 'leaver', 1)
process.disconnect?.()
