import { createHash } from 'node:crypto'

// Leaves and paths once more, written from RFC 9162 and the interface and not from the service.

const sha256 = (...parts: readonly Uint8Array[]): Uint8Array =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const bytesOf = (text: string) => Buffer.from(text, 'hex')

/** The canonical JSON of members that are texts, whole numbers or null. */
function canonicalText(flat: object): string {
  const members = Object.entries(flat).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, value]) => `"${name}":${JSON.stringify(value)}`).join(',')}}`
}

/** The leaf of a flat record. */
export function flatLeaf(record: object): string {
  return hex(sha256(Uint8Array.of(0), Buffer.from(canonicalText(record))))
}

/** The digest of a text over its nonce. */
export function saltedDigest(nonce: string, text: string): string {
  return hex(sha256(Buffer.from(`[${JSON.stringify(nonce)},${JSON.stringify(text)}]`)))
}

/** Where a path leads from a leaf (RFC 9162 2.1.3.2). */
export function rootBy(proof: {
  readonly leafHash: string
  readonly leafIndex: number
  readonly treeSize: number
  readonly inclusionPath: readonly string[]
}): string {
  let [at, last] = [proof.leafIndex, proof.treeSize - 1]
  let root: Uint8Array = bytesOf(proof.leafHash)
  for (const sibling of proof.inclusionPath.map(bytesOf)) {
    const isRight = at % 2 === 1 || at === last
    root = isRight
      ? sha256(Uint8Array.of(1), sibling, root)
      : sha256(Uint8Array.of(1), root, sibling)
    if (isRight)
      while (at % 2 === 0 && at !== 0) {
        at >>= 1
        last >>= 1
      }
    at >>= 1
    last >>= 1
  }
  return hex(root)
}
