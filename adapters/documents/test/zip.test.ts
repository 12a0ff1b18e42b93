import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { fileNameOf, isSafePath } from '@countersign/core/evidence'
import { zipArchives } from '@countersign/documents'
import fc from 'fast-check'
import { openZip } from './open-zip.ts'
import { bytesOf, fileOf, zipOf } from './packs.ts'

const createdAt = Date.UTC(2026, 2, 15, 9, 30)

async function* piecesOf(count: number, onPiece: (at: number) => void) {
  for (let at = 0; at < count; at++) {
    onPiece(at)
    yield Buffer.alloc(65_536, at)
  }
}

describe('ZIP archives', () => {
  it('hold what was added, and the same bytes for the same members in any time zone', async () => {
    const members = new Map([
      ['a.txt', Buffer.from('one')],
      ['folder/b.json', Buffer.from('{}')],
      ['empty', new Uint8Array()],
    ])
    const bytes = await zipOf(members)
    const zone = process.env.TZ
    process.env.TZ = 'Asia/Tokyo'
    const again = await zipOf(members)
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
    assert.deepEqual(again, bytes)
    const zip = await openZip(fileOf(bytes))
    assert.deepEqual(
      await Promise.all(
        zip.entries.map(async (entry) => [
          entry.path,
          Buffer.from(await bytesOf(zip.read(entry))).toString(),
        ]),
      ),
      [
        ['a.txt', 'one'],
        ['folder/b.json', '{}'],
        ['empty', ''],
      ],
    )
    await zip.close()
  })

  it('tells size and SHA-256 of a file that comes in pieces', async () => {
    const archive = zipArchives.create({ createdAt })
    const bytes = bytesOf(archive.bytes)
    const added = await archive.add(
      'x',
      Readable.from([Buffer.from('ab'), Buffer.alloc(0), Buffer.from('c')]),
    )
    assert.deepEqual(added, {
      bytes: 3,
      sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    })
    await archive.finish()
    assert.ok((await bytes).length > 0)
  })

  it('refuses paths that a system could read otherwise', async () => {
    const hostile = [
      '../x',
      '/etc/passwd',
      'a/../b',
      'C:\\x',
      'a\\b',
      'CON',
      'aux.txt',
      'a/nul',
      'x.',
      'a//b',
      '',
      '.',
      'ü',
      'a b',
      'x'.repeat(1_000),
      'a\u0000b',
    ]
    const archive = zipArchives.create({ createdAt })
    for (const path of hostile)
      assert.throws(() => archive.add(path, new Uint8Array()), TypeError, path)
    const bytes = bytesOf(archive.bytes)
    await archive.add('Same', new Uint8Array())
    assert.throws(() => archive.add('same', new Uint8Array()), TypeError)
    await archive.finish()
    await bytes
  })

  it('names any id safely, and no two alike', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
        fc.string({ minLength: 1 }),
        (one, other) => {
          assert.ok(isSafePath(`applications/${fileNameOf(one)}/evidence.json`))
          return one === other || fileNameOf(one) !== fileNameOf(other)
        },
      ),
    )
    assert.match(fileNameOf('../../etc/passwd'), /^\.\._\.\._etc_passwd-[0-9a-f]{8}$/)
  })

  it('asks for no more than its reader takes', async () => {
    const archive = zipArchives.create({ createdAt })
    let asked = 0
    const added = archive.add(
      'noise',
      piecesOf(4_000, (at) => {
        asked = at
      }),
    )
    const reader = archive.bytes[Symbol.asyncIterator]()
    await reader.next()
    for (let round = 0; round < 50; round++) await turn()
    // Zeros and repeats deflate to next to nothing, so much may pass before the output fills.
    assert.ok(asked < 4_000, `asked for ${asked} pieces`)
    await reader.return?.()
    await assert.rejects(added)
  })

  it('holds no content that it has passed on', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const archive = zipArchives.create({ createdAt })
    const read = bytesOf(archive.bytes)
    const given: WeakRef<Uint8Array>[] = []
    for (let at = 0; at < 20; at++) {
      const content = new Uint8Array(100_000)
      given.push(new WeakRef(content))
      await archive.add(`file-${at}`, content)
    }
    for (let round = 0; round < 3; round++) {
      await turn()
      collect()
    }
    const held = given.filter((content) => content.deref()).length
    assert.ok(held <= 2, `${held} of 20 are held`)
    await archive.finish()
    await read
  })

  it('stops its sources when the reader leaves', async () => {
    const archive = zipArchives.create({ createdAt })
    let closed = false
    async function* endless() {
      try {
        for (;;) {
          yield crypto.getRandomValues(new Uint8Array(65_536))
        }
      } finally {
        closed = true
      }
    }
    const added = archive.add('endless', endless())
    added.catch(() => {})
    for await (const piece of archive.bytes) if (piece.length > 0) break
    await assert.rejects(added)
    for (let round = 0; round < 20 && !closed; round++) await turn()
    assert.ok(closed)
    await assert.rejects(archive.add('later', new Uint8Array()))
  })

  it('ends with an error when a source fails, and when it is aborted', async () => {
    const failing = zipArchives.create({ createdAt })
    const bytes = bytesOf(failing.bytes)
    bytes.catch(() => {})
    async function* broken() {
      yield Buffer.from('x')
      throw new Error('the disk is gone')
    }
    await assert.rejects(failing.add('x', broken()), /the disk is gone/)
    await assert.rejects(bytes, /the disk is gone/)
    const aborted = zipArchives.create({ createdAt })
    const read = bytesOf(aborted.bytes)
    aborted.abort(new Error('no longer wanted'))
    await assert.rejects(read, /no longer wanted/)
    await assert.rejects(aborted.add('x', new Uint8Array()), /no longer wanted/)
  })
})
