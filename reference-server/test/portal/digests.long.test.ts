import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { it } from 'node:test'
import { digestOf } from '@countersign/core/canonical'
import { build } from 'esbuild'
import fc from 'fast-check'
import { deep, hostile, large, payment } from './documents.ts'
import { describePortal } from './suite.ts'

const seed = Number(process.env.FC_SEED ?? Date.now() % 2 ** 31)
const documents = 1_000
const onServer = 30

/** The digest as the pages compute it: the very module that they bundle, for browsers, as one function. */
async function digester(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [createRequire(import.meta.url).resolve('@countersign/core/canonical')],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'canonical',
    platform: 'browser',
    target: 'es2023',
    minify: true,
  })
  return outputFiles[0]?.text ?? ''
}

const name = fc.string({ unit: 'binary', maxLength: 12 })
const forbidden = new Set(['__proto__', 'constructor', 'prototype'])
/** Presentations as the interface takes them: names that are no part of JavaScript, whole numbers up to 2^53 - 1. */
const presentation = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.integer(),
    fc.maxSafeInteger(),
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .filter((number) => Math.abs(number) < 2 ** 53),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 6 }),
    tie('object'),
  ),
  object: fc.dictionary(
    name.filter((each) => !forbidden.has(each)),
    tie('value'),
    { maxKeys: 6, noNullPrototype: true },
  ),
})).object

describePortal('digests of documents', (suite) => {
  it(`are in the browser what they are on the server, for ${documents} of them (seed ${seed})`, async () => {
    const { stage, pageAs } = suite
    const page = await pageAs('reviewer')
    await page.evaluate(`${await digester()}; window.digests = (texts) =>
      texts.map((text) => canonical.digestOf(JSON.parse(text)))`)
    const drawn = fc.sample(presentation, { numRuns: documents, seed })
    const all = [payment, hostile, deep(60), large(900_000), ...drawn]
    const texts = all.map((document) => JSON.stringify(document))
    const found: string[] = []
    for (let from = 0; from < texts.length; from += 100)
      found.push(
        ...(await page.evaluate<string[]>(
          `window.digests(${JSON.stringify(texts.slice(from, from + 100))})`,
        )),
      )
    assert.equal(found.length, all.length)
    for (const [at, text] of texts.entries())
      assert.equal(found[at], digestOf(JSON.parse(text)), `${text.slice(0, 2_000)} (seed ${seed})`)

    const reviewer = await stage.clientOf('reviewer')
    for (const [at, document] of all.slice(0, onServer).entries()) {
      const reviewCaseId = await stage.openCase(document)
      const seen = await reviewer.reviewCases.claim({ reviewCaseId })
      assert.equal(
        found[at],
        seen.presentationDigest,
        `${texts[at]?.slice(0, 2_000)} (seed ${seed})`,
      )
    }
  })
})
