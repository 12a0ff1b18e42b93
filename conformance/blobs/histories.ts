import type { BlobStore } from '@countersign/core/ports'
import fc from 'fast-check'
import { expectEqual } from '../assert.ts'

/** One step on a store and on its model: what lies at each path. */
type Step = (blobs: BlobStore, model: Map<string, Uint8Array>) => Promise<void>

/** Few, so that they meet. */
const path = fc.constantFrom('a', 'a/b', 'a/b/c', 'a-b', 'b', 'b/a')
const bytes = fc.uint8Array({ maxLength: 20 })

const putting = fc
  .uniqueArray(fc.record({ path, bytes }), { selector: (each) => each.path, maxLength: 4 })
  .map(
    (objects): Step =>
      async (blobs, model) => {
        await blobs.put(objects)
        for (const each of objects) model.set(each.path, each.bytes)
      },
  )
const writing = fc
  .record({ path, pieces: fc.array(bytes, { maxLength: 4 }), kept: fc.boolean() })
  .map(
    ({ path: at, pieces, kept }): Step =>
      async (blobs, model) => {
        const writer = await blobs.create(at)
        for (const piece of pieces) await writer.write(piece)
        await (kept ? writer.commit() : writer.abort())
        if (kept) model.set(at, new Uint8Array(pieces.flatMap((piece) => [...piece])))
      },
  )
const removing = fc.array(path, { maxLength: 4 }).map(
  (paths): Step =>
    async (blobs, model) => {
      await blobs.remove(paths)
      for (const each of paths) model.delete(each)
    },
)
const reading = path.map(
  (at): Step =>
    async (blobs, model) =>
      expectEqual(await blobs.get(at), model.get(at) ?? null, `get ${at}`),
)
const listing = fc
  .record({
    prefix: fc.constantFrom('', 'a', 'a/', 'a/b', 'b/', 'c'),
    after: fc.option(path),
    take: fc.integer({ min: 1, max: 4 }),
  })
  .map(
    (query): Step =>
      async (blobs, model) => {
        const expected = [...model.keys()]
          .filter((each) => each.startsWith(query.prefix))
          .filter((each) => query.after === null || each > query.after)
          .toSorted((a, b) => (a < b ? -1 : 1))
          .slice(0, query.take)
        const found = await blobs.list(query)
        expectEqual(
          found.map((each) => each.path),
          expected,
          `list ${JSON.stringify(query)}`,
        )
      },
  )

export const blobHistories: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(putting, writing, removing, reading, listing),
  { maxLength: 20 },
)
