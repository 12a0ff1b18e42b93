import assert from 'node:assert/strict'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, test } from 'node:test'
import { blobSuite, type OpenBlobs } from '@countersign/conformance/blobs'
import { StoreError } from '@countersign/core/ports'
import { fileBlobs } from '@countersign/node'

const scratch = () => mkdtempSync(join(tmpdir(), 'blobs-'))
const directories = new WeakMap<OpenBlobs, string>()

function openAt(directory: string): OpenBlobs {
  const open = {
    blobs: fileBlobs({ directory }),
    close: async () => rmSync(directory, { recursive: true, force: true }),
  }
  directories.set(open, directory)
  return open
}

blobSuite({
  test,
  create: async () => openAt(scratch()),
  reopen: async (open) => openAt(directories.get(open) ?? ''),
})

describe('blobs in files', () => {
  it('are readable by their owner alone', async () => {
    const directory = join(scratch(), 'made', 'by', 'it')
    const blobs = fileBlobs({ directory })
    await blobs.put([{ path: 'a/b', bytes: Uint8Array.of(1) }])
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
    assert.equal(modeOf(directory), '700')
    assert.equal(modeOf(join(directory, 'a')), '700')
    assert.equal(modeOf(join(directory, 'a', 'b@')), '600')
  })

  it('leave nothing aside once they are put, removed or aborted', async () => {
    const directory = scratch()
    const blobs = fileBlobs({ directory })
    await blobs.put([{ path: 'a', bytes: Uint8Array.of(1) }])
    const writer = await blobs.create('b')
    await writer.write(Uint8Array.of(1))
    assert.equal(readdirSync(join(directory, '.unfinished')).length, 1)
    await writer.abort()
    await blobs.remove(['a'])
    assert.deepEqual(readdirSync(join(directory, '.unfinished')), [])
    assert.deepEqual(readdirSync(directory), ['.unfinished'])
  })

  it('forget what a process that died left aside a day ago, and no younger file', async () => {
    const directory = scratch()
    fileBlobs({ directory })
    const [old, young] = ['old', 'young'].map((name) => join(directory, '.unfinished', name))
    assert.ok(old && young)
    for (const file of [old, young]) writeFileSync(file, 'x')
    const dayBefore = Date.now() / 1000 - 25 * 3600
    utimesSync(old, dayBefore, dayBefore)
    await fileBlobs({ directory }).put([{ path: 'a', bytes: Uint8Array.of(1) }])
    assert.deepEqual([existsSync(old), existsSync(young)], [false, true])
  })

  it('follow no link in the place of an object', async () => {
    const directory = scratch()
    const outside = join(scratch(), 'outside')
    writeFileSync(outside, 'secret')
    const blobs = fileBlobs({ directory })
    symlinkSync(outside, join(directory, 'a@'))
    await assert.rejects(blobs.get('a'), StoreError)
    await assert.rejects(blobs.open('a'), StoreError)
    await blobs.put([{ path: 'a', bytes: Uint8Array.of(7) }])
    assert.deepEqual(await blobs.get('a'), Uint8Array.of(7))
    assert.equal(statSync(outside).size, 6)
  })

  it('say what failed when the directory is gone or is a file', async () => {
    const file = join(scratch(), 'file')
    writeFileSync(file, '')
    assert.throws(() => fileBlobs({ directory: file }), /EEXIST|ENOTDIR/)
    const directory = scratch()
    const blobs = fileBlobs({ directory })
    rmSync(directory, { recursive: true })
    await assert.rejects(
      blobs.put([{ path: 'a', bytes: Uint8Array.of(1) }]),
      (error) => error instanceof StoreError && error.code === 'io',
    )
  })

  it('are put again below a directory that somebody removed', async () => {
    const directory = scratch()
    const blobs = fileBlobs({ directory })
    await blobs.put([{ path: 'a/b/c', bytes: Uint8Array.of(1) }])
    rmSync(join(directory, 'a'), { recursive: true })
    await blobs.put([{ path: 'a/b/c', bytes: Uint8Array.of(2) }])
    assert.deepEqual(await blobs.get('a/b/c'), Uint8Array.of(2))
  })
})
