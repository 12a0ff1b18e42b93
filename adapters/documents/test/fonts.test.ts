import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, it } from 'node:test'
import { sampleEvidence } from '@countersign/core/testing'
import { create, type Font } from 'fontkit'
import { fontBytes, fontDescriptors, widthOf } from '../pdf/fonts.ts'
import { print } from '../pdf/print.ts'
import { openTypeOf } from '../pdf/woff.ts'
import { accessReport } from './printables.ts'

const { resolve } = createRequire(import.meta.url)
const woff = readFileSync(resolve('@fontsource/unifont/files/unifont-latin-400-normal.woff'))

describe('fonts', () => {
  it('are the same glyphs unpacked as in a WOFF', () => {
    const packed = create(woff) as Font
    const unpacked = create(openTypeOf(woff)) as Font
    assert.equal(unpacked.type, 'TTF')
    assert.equal(unpacked.numGlyphs, packed.numGlyphs)
    // One character: to look at a glyph of a WOFF takes a second.
    const shape = (font: Font) => {
      const { id, advanceWidth, path } = font.glyphForCodePoint(0x4e16)
      return [id, advanceWidth, path.toSVG()]
    }
    assert.deepEqual(shape(unpacked), shape(packed))
  })

  it('of another kind are as they are, and a damaged WOFF is an error', () => {
    const plain = openTypeOf(woff)
    assert.equal(openTypeOf(plain), plain)
    assert.throws(() => openTypeOf(woff.subarray(0, 10_000)))
  })

  it('are found by their names alone', () => {
    for (const { normal, bold } of Object.values(fontDescriptors()))
      for (const name of [normal, bold]) assert.ok(fontBytes(name), name)
    assert.equal(fontBytes('/etc/passwd'), null)
    assert.equal(widthOf('ab', 'Text', false, 9), widthOf('ab', 'Text', false, 9))
  })

  it('print a document alike, whatever was printed before', async () => {
    const report = { kind: 'access-report', document: accessReport } as const
    const alone = await print(report)
    // Characters that share their glyphs with others, and words that are measured again.
    const text = 'a\u00a0b\u2010c\u00adClaims Erasure'
    await print({ kind: 'evidence', document: sampleEvidence({ steps: 1, text }) })
    assert.ok(Buffer.from(await print(report)).equals(alone))
  })
})
