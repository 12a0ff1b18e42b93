import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  sign,
  verify,
} from 'node:crypto'
import { checkPublicKey, type Primitives } from '@countersign/core/signing'

const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The primitives on node:crypto, so that signing thousands of deliveries costs the machine little. */
export const nodePrimitives: Primitives = {
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
  hmacSha256: (key) => (prefix, bytes, encoding) =>
    createHmac('sha256', key).update(prefix, 'latin1').update(bytes).digest(encoding),
  ed25519PublicKey: (seed) =>
    createPublicKey(privateKeyOf(seed)).export({ type: 'spki', format: 'der' }).subarray(-32),
  ed25519Signer: (seed) => {
    const key = privateKeyOf(seed)
    return (prefix, bytes) => sign(null, joined(prefix, bytes), key)
  },
  ed25519Verifier: (publicKey) => {
    checkPublicKey(publicKey)
    const der = Buffer.concat([spkiPrefix, publicKey])
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    return (prefix, bytes, signature) => verify(null, joined(prefix, bytes), key, signature)
  },
}

const joined = (prefix: string, bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(prefix, 'latin1'), bytes])

const privateKeyOf = (seed: Uint8Array) =>
  createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
