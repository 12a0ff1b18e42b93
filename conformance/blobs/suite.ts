import type { BlobStore } from '@countersign/core/ports'
import fc from 'fast-check'
import { expectEqual, expectRejection } from '../assert.ts'
import { generated } from '../generated.ts'
import { needs, type RegisterTest, type Supports } from '../register.ts'
import { blobHistories } from './histories.ts'
import { bytes, joined, pathsOf, readPieces, refused, sizesIn, sizesOf } from './objects.ts'

/** Parts of the suite that a blob store may lack. */
export type BlobCapability = 'durability'

/** A blob store under test, and its end. */
export interface OpenBlobs {
  readonly blobs: BlobStore
  close(): Promise<void>
}

/**
 * Proves a blob store: each test gets an empty one from `create`, closed afterwards.
 *
 * @example
 * ```ts
 * import test from 'node:test'
 * import { blobSuite } from '@countersign/conformance/blobs'
 * import { openMyBlobs } from './my-blobs.js'
 *
 * blobSuite({
 *   test,
 *   create: async () => ({ blobs: await openMyBlobs(), close: async () => {} }),
 * })
 * ```
 */
export function blobSuite(options: {
  readonly test: RegisterTest
  readonly create: () => Promise<OpenBlobs>
  /** What a restarted process finds in the place of the given store. */
  readonly reopen?: (open: OpenBlobs) => Promise<OpenBlobs>
  readonly supports?: Supports<BlobCapability>
  /** Histories to generate (default 50). */
  readonly runs?: number
  /** Where the histories start: the seed that a failure printed. */
  readonly seed?: number
}): void {
  const { test, create, reopen, runs = 50, seed } = options
  const supports: Supports<BlobCapability> = reopen
    ? (options.supports ?? {})
    : { durability: 'the suite was given no reopen', ...options.supports }

  const fresh = (
    name: string,
    run: (blobs: BlobStore, open: OpenBlobs) => Promise<void>,
    ...capabilities: readonly BlobCapability[]
  ): void =>
    void test(`blobs: ${name}`, needs(supports, ...capabilities), async () => {
      const open = await create()
      try {
        await run(open.blobs, open)
      } finally {
        await open.close()
      }
    })

  fresh('bytes come back exactly, none and a mebibyte included', async (blobs) => {
    const all = [bytes(0), bytes(1), bytes(65_536), bytes(65_537), bytes(1_048_577)]
    await blobs.put(all.map((each, at) => ({ path: `a/${at}`, bytes: each })))
    for (const [at, each] of all.entries()) {
      expectEqual(await blobs.get(`a/${at}`), each, `object of ${each.length} bytes`)
      expectEqual(await readPieces(blobs, `a/${at}`), each, `${each.length} bytes in pieces`)
    }
  })

  fresh('a path without an object reads as null', async (blobs) => {
    await blobs.put([{ path: 'a/b', bytes: bytes(3) }])
    for (const path of ['a', 'a/b/c', 'a/c', 'b']) {
      expectEqual(await blobs.get(path), null, `get ${path}`)
      expectEqual(await blobs.open(path), null, `open ${path}`)
    }
  })

  fresh('an object and others below its path stand side by side', async (blobs) => {
    const paths = ['a', 'a/b', 'a/b/c']
    for (const [at, path] of paths.entries()) await blobs.put([{ path, bytes: bytes(at + 1) }])
    for (const [at, path] of paths.entries())
      expectEqual(await blobs.get(path), bytes(at + 1), path)
    await blobs.remove(['a/b'])
    expectEqual(await pathsOf(blobs), ['a', 'a/b/c'], 'what is left')
  })

  fresh('an object replaces the one at its path, whole', async (blobs) => {
    await blobs.put([{ path: 'a', bytes: bytes(100_000) }])
    await blobs.put([{ path: 'a', bytes: bytes(10) }])
    expectEqual(await blobs.get('a'), bytes(10), 'the object')
    expectEqual(await sizesOf(blobs), [['a', 10]], 'its size')
  })

  fresh('a buffer that the caller uses again changes nothing', async (blobs) => {
    const given = bytes(300_000)
    const putting = blobs.put([{ path: 'a', bytes: given.subarray(0, 200_000) }])
    given.fill(9)
    await putting
    expectEqual(await blobs.get('a'), bytes(300_000).subarray(0, 200_000), 'the object put')
    const piece = bytes(200_000)
    const writer = await blobs.create('b')
    const writing = writer.write(piece)
    piece.fill(9)
    await writing
    await writer.commit()
    expectEqual(await blobs.get('b'), bytes(200_000), 'the object written')
    const read = await blobs.get('b')
    read?.fill(7)
    expectEqual(await blobs.get('b'), bytes(200_000), 'after the caller changed what they read')
  })

  fresh('of many puts at once one path holds one of them, whole', async (blobs) => {
    await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        blobs.put([{ path: 'a/b/c', bytes: new Uint8Array(40_000 + at).fill(at) }]),
      ),
    )
    const found = await blobs.get('a/b/c')
    const at = (found?.length ?? 0) - 40_000
    expectEqual(found, new Uint8Array(40_000 + at).fill(at), 'the object')
  })

  fresh(
    'a removed object is gone, others stay, and what is not there is passed over',
    async (blobs) => {
      await blobs.put(['a/1', 'a/2', 'b'].map((path) => ({ path, bytes: bytes(3) })))
      await blobs.remove(['a/1', 'a/9', 'nowhere/at/all', 'a/1'])
      expectEqual(await pathsOf(blobs), ['a/2', 'b'], 'what is left')
      await blobs.put([{ path: 'a/1', bytes: bytes(4) }])
      expectEqual(await blobs.get('a/1'), bytes(4), 'put again')
    },
  )

  fresh(
    'a listing is in the order of paths by bytes, from its cursor, by its prefix',
    async (blobs) => {
      const paths = ['a', 'a-b', 'a.b', 'a/b', 'a/b/c', 'a0', 'a_', 'ab', 'b/a', 'b/b']
      await blobs.put([...paths].reverse().map((path) => ({ path, bytes: bytes(path.length) })))
      const all = paths.toSorted((x, y) => (x < y ? -1 : 1))
      expectEqual(await pathsOf(blobs), all, 'all')
      for (const prefix of ['a', 'a/', 'a/b', 'b/', 'c', 'ab'])
        expectEqual(
          await pathsOf(blobs, prefix),
          all.filter((path) => path.startsWith(prefix)),
          `prefix ${prefix}`,
        )
      for (const after of [...all, 'a/a', 'a/b/', 'a00'])
        expectEqual(
          (await blobs.list({ prefix: '', after, take: 3 })).map(({ path }) => path),
          all.filter((path) => path > after).slice(0, 3),
          `three after ${after}`,
        )
      expectEqual(
        await sizesOf(blobs),
        all.map((path) => [path, path.length]),
        'sizes',
      )
    },
  )

  fresh('what is written in pieces is there from its commit on, not before', async (blobs) => {
    await blobs.put([{ path: 'a', bytes: bytes(5) }])
    const writer = await blobs.create('a')
    for (const size of [0, 70_000, 1, 300_000]) await writer.write(bytes(size))
    expectEqual(await blobs.get('a'), bytes(5), 'before the commit')
    expectEqual(await sizesOf(blobs), [['a', 5]], 'the listing before the commit')
    await writer.commit()
    const whole = joined([70_000, 1, 300_000].map(bytes))
    expectEqual(await blobs.get('a'), whole, 'after it')
    await writer.abort()
    expectEqual(await blobs.get('a'), whole, 'after an abort that came late')
    await expectRejection(writer.write(bytes(1)), 'a write after the commit')
  })

  fresh('a writer that is aborted leaves nothing', async (blobs) => {
    const writer = await blobs.create('a/b')
    await writer.write(bytes(1_000))
    await writer.abort()
    await writer.abort()
    expectEqual(await blobs.get('a/b'), null, 'the object')
    expectEqual(await pathsOf(blobs), [], 'the listing')
    await expectRejection(writer.commit(), 'a commit after the abort')
  })

  fresh('a reader sees the object as it was opened, and may end early', async (blobs) => {
    await blobs.put([{ path: 'a', bytes: bytes(500_000) }])
    const [first, second] = [await blobs.open('a'), await blobs.open('a')]
    expectEqual(first?.size, 500_000, 'the size')
    await blobs.put([{ path: 'a', bytes: bytes(7) }])
    await blobs.remove(['a'])
    const pieces: Uint8Array[] = []
    for await (const piece of first?.pieces ?? []) pieces.push(piece)
    expectEqual(joined(pieces), bytes(500_000), 'the pieces')
    await second?.pieces.return?.()
    expectEqual((await second?.pieces.next())?.done, true, 'after an early end')
  })

  fresh('a path that leads elsewhere is refused', async (blobs) => {
    const wrong = [
      '',
      '/',
      '/a',
      'a/',
      'a//b',
      '.',
      '..',
      '../a',
      'a/../b',
      'a/.b',
      '.a',
      'A',
      'a b',
    ]
    for (const path of [...wrong, 'a\\b', 'a\0', 'a:b', 'a%2fb', 'ü', 'a\n', 'a'.repeat(513)]) {
      const shown = JSON.stringify(path)
      await refused(() => blobs.put([{ path, bytes: bytes(1) }]), `put ${shown}`)
      await refused(() => blobs.get(path), `get ${shown}`)
      await refused(() => blobs.open(path), `open ${shown}`)
      await refused(() => blobs.create(path), `create ${shown}`)
      await refused(() => blobs.remove([path]), `remove ${shown}`)
    }
    expectEqual(await pathsOf(blobs), [], 'the listing')
    const longest = `${'a/'.repeat(3)}${'b'.repeat(100)}`
    await blobs.put([{ path: longest, bytes: bytes(1) }])
    expectEqual(await blobs.get(longest), bytes(1), 'a long path')
  })

  fresh('of several objects, a refused path lets none be put', async (blobs) => {
    const objects = ['a', '../b'].map((path) => ({ path, bytes: bytes(1) }))
    await refused(() => blobs.put(objects), 'put')
    expectEqual(await pathsOf(blobs), [], 'the listing')
  })

  fresh(
    'what was told done is there after a restart',
    async (blobs, open) => {
      if (!reopen) return
      await blobs.put(['a/1', 'a/2', 'b'].map((path) => ({ path, bytes: bytes(9) })))
      await blobs.remove(['a/2'])
      const writer = await blobs.create('c')
      await writer.write(bytes(11))
      await writer.commit()
      const unfinished = await blobs.create('d')
      await unfinished.write(bytes(1))
      const again = await reopen(open)
      try {
        expectEqual(
          await sizesOf(again.blobs),
          [
            ['a/1', 9],
            ['b', 9],
            ['c', 11],
          ],
          'objects',
        )
        expectEqual(await again.blobs.get('a/1'), bytes(9), 'an object')
      } finally {
        await unfinished.abort()
        await again.close()
      }
    },
    'durability',
  )

  test('blobs: every history goes as the model says', {}, () =>
    fc.assert(
      fc.asyncProperty(blobHistories, async (history) => {
        const { blobs, close } = await create()
        try {
          const model = new Map<string, Uint8Array>()
          for (const step of history) await step(blobs, model)
          expectEqual(await sizesOf(blobs), sizesIn(model), 'objects at the end')
        } finally {
          await close()
        }
      }),
      generated(runs, seed),
    ),
  )
}
