import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  type Inclusion,
  leafHash,
  merkleTree,
  nodeHash,
  rootOfInclusion,
  verifyInclusion,
} from '@countersign/core/internal'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import fc from 'fast-check'

const vectors = fileURLToPath(
  new URL('../../../../../../shared/vectors/merkle/inclusion.json', import.meta.url),
)

interface Vector {
  readonly name: string
  readonly leafIdx: number
  readonly treeSize: number
  readonly root: string
  readonly leafHash: string
  readonly proof: readonly string[] | null
  readonly wantErr: boolean
}

const bytes = (base64: string | null) => Uint8Array.from(Buffer.from(base64 ?? '', 'base64'))

/** The definition of RFC 9162 2.1.1, word for word: the reference that the tree is compared with. */
function referenceRoot(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256(new Uint8Array())
  if (leaves.length === 1) return leaves[0] as Uint8Array
  let split = 1
  while (split * 2 < leaves.length) split *= 2
  return nodeHash(referenceRoot(leaves.slice(0, split)), referenceRoot(leaves.slice(split)))
}

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })
const trees = fc.array(hash, { minLength: 1, maxLength: 70 }).chain((leaves) =>
  fc.record({
    leaves: fc.constant(leaves),
    leafIndex: fc.nat({ max: leaves.length - 1 }),
  }),
)

function inclusionIn(leaves: readonly Uint8Array[], leafIndex: number): Inclusion {
  return {
    leafHash: leaves[leafIndex] as Uint8Array,
    leafIndex,
    treeSize: leaves.length,
    inclusionPath: merkleTree(leaves).pathOf(leafIndex),
  }
}

type Verify = typeof verifyInclusion

function everyLeafIsIncluded(verify: Verify) {
  fc.assert(
    fc.property(trees, ({ leaves, leafIndex }) =>
      verify(inclusionIn(leaves, leafIndex), merkleTree(leaves).root),
    ),
  )
}

const changes = fc.oneof(
  fc.record({ kind: fc.constant('bit' as const), at: fc.nat(), bit: fc.nat({ max: 7 }) }),
  fc.record({
    kind: fc.constantFrom('drop', 'extra', 'index', 'swap'),
    at: fc.nat(),
    bit: fc.nat(),
  }),
)

/** The inclusion and root with one thing changed. */
function changed(
  inclusion: Inclusion,
  root: Uint8Array,
  { kind, at, bit }: { readonly kind: string; readonly at: number; readonly bit: number },
): readonly [Inclusion, Uint8Array] {
  const path = inclusion.inclusionPath
  if (kind === 'drop') return [{ ...inclusion, inclusionPath: path.slice(0, -1) }, root]
  if (kind === 'extra') return [{ ...inclusion, inclusionPath: [...path, root] }, root]
  if (kind === 'index')
    return [{ ...inclusion, leafIndex: (inclusion.leafIndex + 1 + (at % 5)) % 70 }, root]
  if (kind === 'swap') return [{ ...inclusion, inclusionPath: path.toReversed() }, root]
  const all = [inclusion.leafHash, ...path, root].map((one) => Uint8Array.from(one))
  const target = all[at % all.length] as Uint8Array
  target[at % 32] = (target[at % 32] as number) ^ (1 << bit)
  return [
    { ...inclusion, leafHash: all[0] as Uint8Array, inclusionPath: all.slice(1, -1) },
    all.at(-1) as Uint8Array,
  ]
}

function everyChangeIsFound(verify: Verify) {
  fc.assert(
    fc.property(trees, changes, ({ leaves, leafIndex }, change) => {
      const inclusion = inclusionIn(leaves, leafIndex)
      const { root } = merkleTree(leaves)
      const [other, otherRoot] = changed(inclusion, root, change)
      const same =
        other.leafIndex === inclusion.leafIndex &&
        bytesToHex(otherRoot) === bytesToHex(root) &&
        bytesToHex(other.leafHash) === bytesToHex(inclusion.leafHash) &&
        other.inclusionPath.map(bytesToHex).join() ===
          inclusion.inclusionPath.map(bytesToHex).join()
      return same || !verify(other, otherRoot)
    }),
    { numRuns: 400 },
  )
}

describe('Merkle trees (RFC 9162)', () => {
  it('gives the published verdicts on inclusion', {
    skip: existsSync(vectors) ? false : 'no vectors',
  }, () => {
    const all = JSON.parse(readFileSync(vectors, 'utf8')) as readonly Vector[]
    assert.equal(all.length, 98)
    for (const { name, leafIdx, treeSize, root, leafHash, proof, wantErr } of all) {
      const inclusion = {
        leafHash: bytes(leafHash),
        leafIndex: leafIdx,
        treeSize,
        inclusionPath: (proof ?? []).map(bytes),
      }
      assert.equal(verifyInclusion(inclusion, bytes(root)), !wantErr, name)
    }
  })

  it('gives the roots of the eight leaves that RFC 6962 implementations share', () => {
    const entries = [
      '',
      '00',
      '10',
      '2021',
      '3031',
      '40414243',
      '5051525354555657',
      '606162636465666768696a6b6c6d6e6f',
    ]
    const roots = [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
      'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
      '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
      'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    ]
    const leaves = entries.map((entry) => leafHash(hexToBytes(entry)))
    for (const [at, root] of roots.entries())
      assert.equal(bytesToHex(merkleTree(leaves.slice(0, at + 1)).root), root)
    assert.equal(bytesToHex(merkleTree([]).root), bytesToHex(sha256(new Uint8Array())))
  })

  it('has the root of the definition', () => {
    fc.assert(
      fc.property(fc.array(hash, { maxLength: 70 }), (leaves) => {
        assert.equal(bytesToHex(merkleTree(leaves).root), bytesToHex(referenceRoot(leaves)))
      }),
    )
  })

  it('includes each of its leaves, and nothing with one thing changed', () => {
    everyLeafIsIncluded(verifyInclusion)
    everyChangeIsFound(verifyInclusion)
  })

  it('is proven by tests that broken verifiers fail', () => {
    const ignoresLength: Verify = (inclusion, root) =>
      [inclusion.inclusionPath, inclusion.inclusionPath.slice(0, -1)].some((inclusionPath) =>
        verifyInclusion({ ...inclusion, inclusionPath }, root),
      )
    const ignoresFirstSibling: Verify = (inclusion, root) =>
      inclusion.inclusionPath.length > 1 || verifyInclusion(inclusion, root)
    const ignoresIndex: Verify = (inclusion, root) =>
      Array.from({ length: inclusion.treeSize }, (_, leafIndex) => leafIndex).some((leafIndex) =>
        verifyInclusion({ ...inclusion, leafIndex }, root),
      )
    for (const broken of [ignoresLength, ignoresFirstSibling, ignoresIndex])
      assert.throws(() => everyChangeIsFound(broken))
    const forgetsPromotion: Verify = (inclusion, root) =>
      inclusion.leafIndex % 2 === 1 || inclusion.leafIndex + 1 < inclusion.treeSize
        ? verifyInclusion(inclusion, root)
        : false
    assert.throws(() => everyLeafIsIncluded(forgetsPromotion))
  })

  it('refuses indexes and hashes that are none', () => {
    const tree = merkleTree([leafHash(Uint8Array.of(1)), leafHash(Uint8Array.of(2))])
    for (const index of [-1, 2, 0.5, Number.NaN])
      assert.throws(() => tree.pathOf(index), RangeError)
    assert.throws(() => merkleTree([Uint8Array.of(1)]), RangeError)
    assert.equal(
      rootOfInclusion({
        leafHash: tree.root,
        leafIndex: 2 ** 53,
        treeSize: 2 ** 54,
        inclusionPath: [],
      }),
      null,
    )
  })
})
