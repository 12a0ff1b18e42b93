import { parentPort } from 'node:worker_threads'
import type { Ed25519Signer } from '@countersign/core/signing'
import { nativePrimitives } from './crypto.ts'
import { type SigningBatch, signatureLength } from './signing-thread.ts'

const signers = new Map<number, Ed25519Signer>()

parentPort?.on('message', ({ bytes, ends, keys, seeds, forget }: SigningBatch) => {
  for (const [key, seed] of seeds) signers.set(key, nativePrimitives.ed25519Signer(seed))
  const signatures = new Uint8Array(ends.length * signatureLength)
  let start = 0
  for (const [at, end] of ends.entries()) {
    const sign = signers.get(keys[at] ?? 0)
    if (!sign) throw new Error(`no key ${keys[at]}`)
    signatures.set(sign('', bytes.subarray(start, end)), at * signatureLength)
    start = end
  }
  // Last: a key may be added and dropped within one batch.
  for (const key of forget) signers.delete(key)
  parentPort?.postMessage(signatures, [signatures.buffer])
})
