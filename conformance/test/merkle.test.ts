import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalize, merkleTree } from '@countersign/core/internal'
import fc from 'fast-check'
import { canonicalText } from '../canonical.ts'
import { leafOf, rootByPath, rootOf } from '../merkle.ts'

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

test('the canonical form is the core’s', () => {
  const value = fc.jsonValue({ maxDepth: 4 })
  fc.assert(fc.property(value, (one) => assert.equal(canonicalText(one), canonicalize(one))))
})

test('roots and paths are the core’s, and no other leaf has them', () => {
  const leaves = fc.array(fc.string().map(leafOf), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(leaves, fc.nat(), (hashes, draw) => {
      const tree = merkleTree(hashes.map(bytesOf))
      assert.equal(rootOf(hashes), hexOf(tree.root))
      const index = draw % hashes.length
      const path = tree.pathOf(index).map(hexOf)
      const leaf = hashes[index] ?? ''
      assert.equal(rootByPath(leaf, index, hashes.length, path), rootOf(hashes))
      assert.notEqual(rootByPath(leafOf(`no ${leaf}`), index, hashes.length, path), rootOf(hashes))
      assert.equal(rootByPath(leaf, index, hashes.length, [...path, leaf]), null)
    }),
  )
})
