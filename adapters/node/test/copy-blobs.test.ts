import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { copyBlobs, fileBlobs } from '../index.ts'

const home = mkdtempSync(join(tmpdir(), 'countersign-copy-'))
const made: string[] = [home]
after(() => {
  for (const each of made) rmSync(each, { recursive: true })
})
let count = 0
const place = () => join(home, String(++count))
const bytesOf = (text: string) => new TextEncoder().encode(text)

const path = fc
  .array(fc.constantFrom('a', 'b', 'c-1'), { minLength: 1, maxLength: 4 })
  .map((segments) => segments.join('/'))
const objects = fc.dictionary(path, fc.string(), { maxKeys: 8, noNullPrototype: true })

async function store(directory: string, given: Readonly<Record<string, string>>) {
  const blobs = fileBlobs({ directory })
  await blobs.put(Object.entries(given).map(([path, text]) => ({ path, bytes: bytesOf(text) })))
}

async function contents(directory: string): Promise<Readonly<Record<string, string>>> {
  const blobs = fileBlobs({ directory, make: false })
  const found = await blobs.list({ prefix: '', after: null, take: 1_000 })
  const texts = found.map(async ({ path }) => {
    const bytes = (await blobs.get(path)) ?? new Uint8Array()
    return [path, new TextDecoder().decode(bytes)] as const
  })
  return Object.fromEntries(await Promise.all(texts))
}

/** What a copy has, over what was there. */
async function copiesAll(copy: typeof copyBlobs): Promise<void> {
  await fc.assert(
    fc.asyncProperty(objects, objects, fc.boolean(), async (source, before, replace) => {
      const [from, to] = [place(), place()]
      await store(from, source)
      await store(to, before)
      const { objects: number, bytes } = await copy({ from, to, replace })
      assert.deepEqual(
        await contents(to),
        replace ? { ...before, ...source } : { ...source, ...before },
      )
      assert.equal(number, Object.keys(source).length)
      const sizes = await fileBlobs({ directory: to }).list({ prefix: '', after: null, take: 99 })
      const copied = sizes.filter((each) => each.path in source)
      if (replace)
        assert.equal(
          bytes,
          copied.reduce((sum, { size }) => sum + size, 0),
        )
      assert.deepEqual(await contents(from), source)
    }),
    {
      numRuns: 25,
      // What tells the mutants apart: an object that both have, replaced and kept.
      examples: [
        [{ a: 'source' }, { a: 'before' }, true],
        [{ a: 'source' }, { a: 'before' }, false],
      ],
    },
  )
}

describe('copyBlobs', () => {
  it('copies every object, over what is there only where it is told', async () => {
    await copiesAll(copyBlobs)
    const mutants: readonly (typeof copyBlobs)[] = [
      (options) => copyBlobs({ ...options, replace: true }),
      (options) => copyBlobs({ ...options, replace: false }),
      ({ from, to }) => copyBlobs({ from: to, to: from }),
    ]
    for (const mutant of mutants) await assert.rejects(copiesAll(mutant))
  })

  it('gives objects a second name, which no later object of the store changes', async () => {
    const [from, to] = [place(), place()]
    await store(from, { 'a/b': 'first' })
    await copyBlobs({ from, to })
    const file = join('a', 'b@')
    assert.equal(statSync(join(from, file)).ino, statSync(join(to, file)).ino)
    await store(from, { 'a/b': 'second' })
    assert.deepEqual(await contents(to), { 'a/b': 'first' })
    await copyBlobs({ from: to, to: from, replace: true })
    assert.deepEqual(await contents(from), { 'a/b': 'first' })
  })

  it('makes nothing of a directory that is not there', async () => {
    const [from, to] = [place(), place()]
    assert.deepEqual(await copyBlobs({ from, to }), { objects: 0, bytes: 0 })
    assert.equal(existsSync(from), false)
    assert.deepEqual(readdirSync(to), [])
  })

  const other = '/dev/shm'
  const isOther = existsSync(other) && statSync(other).dev !== statSync(home).dev
  const skip = isOther ? false : 'there is no second file system'
  it('copies bytes to another file system, private to their owner', { skip }, async () => {
    const from = place()
    const to = mkdtempSync(join(other, 'countersign-copy-'))
    made.push(to)
    await store(from, { 'a/b': 'first', c: '' })
    await copyBlobs({ from, to })
    assert.deepEqual(await contents(to), { 'a/b': 'first', c: '' })
    assert.equal(statSync(join(to, 'a', 'b@')).mode & 0o777, 0o600)
    assert.equal(statSync(join(to, 'a')).mode & 0o777, 0o700)
  })
})
