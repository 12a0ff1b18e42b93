import assert from 'node:assert/strict'
import { createPublicKey, verify as opensslVerify } from 'node:crypto'
import { describe, it } from 'node:test'
import { signingSuite } from '@countersign/conformance/signing'
import { type Primitives, portablePrimitives } from '@countersign/core/signing'
import { ed25519 } from '@noble/curves/ed25519.js'
import { failuresOf } from './run-suite.ts'

function failures(change: Partial<Primitives>): Promise<ReadonlyMap<string, string>> {
  const primitives = { ...portablePrimitives, ...change }
  return failuresOf((test) => signingSuite({ test, primitives, runs: 20 }))
}

function joined(prefix: string, bytes: Uint8Array): Uint8Array {
  return Uint8Array.from([...new TextEncoder().encode(prefix), ...bytes])
}

/** Takes whatever OpenSSL takes. */
function openssl(publicKey: Uint8Array): ReturnType<Primitives['ed25519Verifier']> {
  const der = [...Buffer.from('302a300506032b6570032100', 'hex'), ...publicKey]
  const key = createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' })
  return (prefix, bytes, signature) => opensslVerify(null, joined(prefix, bytes), key, signature)
}

function noble(publicKey: Uint8Array, zip215: boolean): ReturnType<Primitives['ed25519Verifier']> {
  return (prefix, bytes, signature) =>
    signature.length === 64 &&
    ed25519.verify(signature, joined(prefix, bytes), publicKey, { zip215 })
}

const { ed25519Verifier, hmacSha256, ed25519Signer } = portablePrimitives
const mutants: Record<string, Partial<Primitives>> = {
  'takes every public key that OpenSSL takes': { ed25519Verifier: openssl },
  'verifies by the rules of ZIP 215': { ed25519Verifier: (key) => noble(key, true) },
  'multiplies by the cofactor': {
    ed25519Verifier: (key) => {
      ed25519Verifier(key)
      return noble(key, false)
    },
  },
  'throws for a signature of another length': {
    ed25519Verifier: (key) => {
      ed25519Verifier(key)
      return (prefix, bytes, signature) =>
        ed25519.verify(signature, joined(prefix, bytes), key, { zip215: false })
    },
  },
  'leaves the prefix out of the MAC': {
    hmacSha256: (key) => (_, bytes, encoding) => hmacSha256(key)('', bytes, encoding),
  },
  'leaves the prefix out of the signature': {
    ed25519Signer: (seed) => (_, bytes) => ed25519Signer(seed)('', bytes),
  },
  'cuts a long message': {
    hmacSha256: (key) => (prefix, bytes, encoding) =>
      hmacSha256(key)(prefix, bytes.subarray(0, 16_000), encoding),
  },
  'cuts a long key': { hmacSha256: (key) => hmacSha256(key.subarray(0, 64)) },
  'keeps the array that it was given': {
    hmacSha256: (key) => (prefix, bytes, encoding) => hmacSha256(key)(prefix, bytes, encoding),
  },
  'accepts everything': { ed25519Verifier: () => () => true },
}

describe('the signing suite', () => {
  it('passes the portable primitives', async () => {
    assert.deepEqual([...(await failures({}))], [])
  })

  for (const [name, change] of Object.entries(mutants))
    it(`sees one that ${name}`, async () => {
      assert.notEqual((await failures(change)).size, 0)
    })
})
